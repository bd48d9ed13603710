import { type WalletAddress } from '@juicebar/contract/addresses'
import { type FastifyInstance } from 'fastify'

import { type Database } from '../../src/database/connect.ts'
import { bearerToken } from '../../src/http/api/bearer-token.ts'
import { checkSignIn, readOwnBlock } from '../../src/restrictions/check-sign-in.ts'
import { createLoginText } from '../../src/sign-in/login-text.ts'
import { readSession } from '../../src/sign-in/read-session.ts'
import { signInRoutes } from '../../src/sign-in/routes.ts'
import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { serve } from '../http/test-server.ts'
import { type TestWallet } from './wallet.ts'

export const JWT_SECRET = 'a secret that all servers share, 32+'

/** One of any number of servers on the same database. */
export function serveSignIn(
  database: Database,
  onFirstSignIn: (wallet: WalletAddress) => Promise<void> = async () => undefined,
): Promise<FastifyInstance> {
  const jwts = createSessionJwts(JWT_SECRET)
  return serve(
    (api) =>
      signInRoutes(api, database, {
        jwts,
        loginText: createLoginText('Juicebar', 'https://market.example'),
        onFirstSignIn,
        checkSignIn: (wallet) => checkSignIn(database, wallet),
        readBlock: (wallet) => readOwnBlock(database, wallet),
      }),
    {},
    { authenticate: (request) => readSession(database, jwts, bearerToken(request)) },
  )
}

export function askNonce(server: FastifyInstance, walletAddress: string, headers: Record<string, string> = {}) {
  return server.inject({ method: 'POST', url: '/api/auth/nonce', payload: { walletAddress }, headers })
}

export function verify(server: FastifyInstance, walletAddress: string, signature: string) {
  return server.inject({ method: 'POST', url: '/api/auth/verify', payload: { walletAddress, signature } })
}

/** Signs a wallet in and returns its session JWT. */
export async function signIn(server: FastifyInstance, wallet: TestWallet): Promise<string> {
  const { message } = (await askNonce(server, wallet.address)).json()
  return (await verify(server, wallet.address, wallet.sign(message))).json().token
}

export function whoAmI(server: FastifyInstance, jwt: string) {
  return server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${jwt}` } })
}

export function logOut(server: FastifyInstance, jwt: string) {
  return server.inject({ method: 'POST', url: '/api/auth/logout', headers: { authorization: `Bearer ${jwt}` } })
}

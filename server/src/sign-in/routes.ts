import { parseSignature, type Signature, requireWallet } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Database } from '../database/connect.ts'
import { type Api } from '../http/route.ts'
import { requestNonce, requirePlayer, type SignInOptions, verifySignature } from './verify-signature.ts'
import { revokeSession, revokeSessions } from './sign-in-store.ts'

/** Signing in with a wallet, the signed-in player, and signing out. */
export function signInRoutes(api: Api, database: Database, options: SignInOptions): void {
  api.open('requestNonce', 'sign-in', async ({ body }) => requestNonce(database, options.loginText, requireWallet(body.walletAddress)))

  api.open('verifySignature', 'sign-in', async ({ body }) => {
    const wallet = requireWallet(body.walletAddress)
    return verifySignature(database, options, wallet, requireSignature(body.signature))
  })

  api.player('me', 'read', async ({ player }) => {
    const [user, block] = await Promise.all([requirePlayer(database, player), options.readBlock(player)])
    return { user, ...(block && { block }) }
  })

  api.player('logout', 'read', async ({ session }) => {
    await revokeSession(database, session.id)
    return null
  })

  api.player('logoutEverywhere', 'read', async ({ player }) => {
    await revokeSessions(database, player)
    return null
  })
}

function requireSignature(text: string): Signature {
  const signature = parseSignature(text)
  if (!signature) throw new Failure('SIGNATURE_INVALID')
  return signature
}

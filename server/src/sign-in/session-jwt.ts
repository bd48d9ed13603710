import { loginMessage } from '@juicebar/contract/messages'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { isId } from '@juicebar/contract/ids'
import { createSigner, createVerifier } from 'fast-jwt'

/** The text that a wallet signs for a nonce. */
export type LoginText = (nonce: string) => string

/** The host comes from the settings, never from a request: otherwise a phishing proxy could choose the host that its victims sign for. */
export function createLoginText(productName: string, publicOrigin: string): LoginText {
  const { host } = new URL(publicOrigin)
  return (nonce) => loginMessage(productName, host, nonce)
}

/** The session that a JWT names, and its player. Only the database knows whether that session is still alive. */
export interface SessionClaims {
  id: string
  player: WalletAddress
}

export interface SessionJwts {
  sign(claims: SessionClaims, expiresAt: Date): string
  /** @returns undefined if the JWT was not signed by us, was altered or has expired */
  verify(jwt: string): SessionClaims | undefined
}

/** Signs and verifies session JWTs: HS256, `sub` is the wallet, `jti` the session. */
export function createSessionJwts(secret: string): SessionJwts {
  const sign = createSigner({ key: secret, algorithm: 'HS256' })
  const verify = createVerifier({ key: secret, algorithms: ['HS256'], requiredClaims: ['sub', 'jti', 'exp'] })
  return {
    sign: ({ id, player }, expiresAt) => sign({ sub: player, jti: id, exp: Math.floor(expiresAt.getTime() / 1000) }),
    verify: (jwt) => {
      try {
        const payload: unknown = verify(jwt)
        return readClaims(payload)
      } catch {
        // The library throws for every kind of invalid JWT. Clients are not told which kind theirs is.
        return undefined
      }
    },
  }
}

function readClaims(payload: unknown): SessionClaims | undefined {
  if (typeof payload !== 'object' || payload === null || !('sub' in payload) || !('jti' in payload)) return undefined
  const { sub, jti } = payload
  const player = typeof sub === 'string' ? parseWalletAddress(sub) : undefined
  return player && typeof jti === 'string' && isId(jti) ? { id: jti, player } : undefined
}

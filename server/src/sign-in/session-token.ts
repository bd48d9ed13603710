import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { createSigner, createVerifier } from 'fast-jwt'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What a token says: which session of which player. Whether that session still lives is in the database alone. */
export interface TokenClaims {
  id: string
  player: WalletAddress
}

export interface SessionTokens {
  sign(claims: TokenClaims, expiresAt: Date): string
  /** Undefined where the token is not one of ours, was altered or has expired. */
  read(token: string): TokenClaims | undefined
}

/** Session tokens are JWTs (HS256) with `sub` the wallet and `jti` the session, signed with `secret`. */
export function createSessionTokens(secret: string): SessionTokens {
  const sign = createSigner({ key: secret, algorithm: 'HS256' })
  const verify = createVerifier({ key: secret, algorithms: ['HS256'], requiredClaims: ['sub', 'jti', 'exp'] })
  return {
    sign: ({ id, player }, expiresAt) => sign({ sub: player, jti: id, exp: Math.floor(expiresAt.getTime() / 1000) }),
    read: (token) => {
      try {
        return readClaims(verify(token))
      } catch {
        return undefined
      }
    },
  }
}

function readClaims(payload: { sub?: unknown; jti?: unknown }): TokenClaims | undefined {
  const player = typeof payload.sub === 'string' ? parseWalletAddress(payload.sub) : undefined
  if (!player || typeof payload.jti !== 'string' || !uuid.test(payload.jti)) return undefined
  return { id: payload.jti, player }
}

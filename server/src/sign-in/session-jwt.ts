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
        const payload: unknown = verify(token)
        return readClaims(payload)
      } catch {
        // The library throws for every kind of token that is not good; which kind is nobody's business.
        return undefined
      }
    },
  }
}

function readClaims(payload: unknown): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null || !('sub' in payload) || !('jti' in payload)) return undefined
  const { sub, jti } = payload
  const player = typeof sub === 'string' ? parseWalletAddress(sub) : undefined
  return player && typeof jti === 'string' && uuid.test(jti) ? { id: jti, player } : undefined
}

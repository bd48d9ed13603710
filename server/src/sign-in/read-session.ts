import { Failure } from '@juicebar/contract/errors'

import { type Database } from '../database/connect.ts'
import { type SessionTokens, type TokenClaims } from './session-jwt.ts'
import { isSessionAlive } from './sign-in-store.ts'

/** The session that a token stands for: UNAUTHORIZED without a token, SESSION_ENDED with one that is not valid (any more) on any server. */
export async function readSession(database: Database, tokens: SessionTokens, token: string | undefined): Promise<TokenClaims> {
  if (token === undefined) throw new Failure('UNAUTHORIZED')
  const claims = tokens.read(token)
  if (!claims || !(await isSessionAlive(database, claims.id, claims.player))) throw new Failure('SESSION_ENDED')
  return claims
}

import { Failure } from '@juicebar/contract/errors'

import { type Database } from '../database/connect.ts'
import { type SessionClaims, type SessionJwts } from './session-jwt.ts'
import { isSessionAlive } from './sign-in-store.ts'

/**
 * The live session that a request's JWT names.
 * @throws UNAUTHORIZED without a JWT; SESSION_ENDED if the JWT is invalid or its session has expired or was signed out
 */
export async function readSession(database: Database, jwts: SessionJwts, jwt: string | undefined): Promise<SessionClaims> {
  if (jwt === undefined) throw new Failure('UNAUTHORIZED')
  const claims = jwts.verify(jwt)
  if (!claims || !(await isSessionAlive(database, claims.id, claims.player))) throw new Failure('SESSION_ENDED')
  return claims
}

import pg from 'pg'

import { sqlState } from '../refusals.ts'

/** SQLSTATE (PostgreSQL, appendix A). */
export const READ_ONLY = '25006'
const CANNOT_CONNECT_NOW = '57P03'
/** The server is shutting down, or it crashed. */
const leaving = new Set(['57P01', '57P02', CANNOT_CONNECT_NOW])

/** Not an error of `pg`: the host takes no writes, or it does, and the URL asks for one that does not. */
export class WrongHostError extends Error {
  readonly code = READ_ONLY
}

/** Not an error of `pg`: the database takes changes but confirms none, because a standby must have them first. */
export class CommitsWaitError extends Error {
  readonly code = CANNOT_CONNECT_NOW
}

/** SQLSTATE (PostgreSQL, appendix A). */
const COMPLETION_UNKNOWN = '40003'

/**
 * Not an error of `pg`: the database gave up waiting for a standby before it confirmed a commit. The change is there, but gone if this
 * server dies now: nobody may act on it until it is confirmed.
 */
export class UnconfirmedCommitError extends Error {
  readonly code = COMPLETION_UNKNOWN

  constructor() {
    super('no standby has confirmed the commit')
  }
}

/**
 * Whether a query's error means that its connection must not be used again, and that others to the same host may be no better: it does
 * not answer, was lost, or leads to a server that takes no writes any more.
 */
export function isConnectionFailure(error: unknown): error is Error {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error
  const state = sqlState(error) ?? ''
  return state === READ_ONLY || leaving.has(state) || state.startsWith('08')
}

/** Whether to try the next host, as libpq does: not if a host answered and refused us, for example for a wrong password. */
export function isHostUnusable(error: unknown): boolean {
  if (error instanceof CommitsWaitError) return false
  return !(error instanceof pg.DatabaseError) || sqlState(error) === CANNOT_CONNECT_NOW
}

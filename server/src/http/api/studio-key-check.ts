import { createHash, timingSafeEqual } from 'node:crypto'

import { type WalletAddress } from '@juicebar/contract/addresses'
import { errors, Failure } from '@juicebar/contract/errors'
import { ROOT_KEY, type Scope, scopes } from '@juicebar/contract/scopes'
import { type FastifyRequest } from 'fastify'

import { bearerToken } from './bearer-token.ts'
import { type LimitChecks } from './rate-limits.ts'

/** Whoever calls as the studio. */
export interface StudioKey {
  /** Null for the root key and for the staff. */
  id: string | null
  /** What the log calls it: of the staff, the wallet. */
  name: string
  /** Of the staff, who have signed in with it; a key has none. */
  wallet?: WalletAddress
  scopes: readonly Scope[]
  /** Tokens that it may credit in a UTC day; null without a limit. */
  dailyCreditLimit: number | null
  expiresAt: Date | null
}

const rootKey: StudioKey = { id: null, name: ROOT_KEY, scopes, dailyCreditLimit: null, expiresAt: null }

/** Returns the key that has this secret. Throws `Failure` STUDIO_KEY_INVALID, KEY_EXPIRED or KEY_REVOKED. */
export type FindStudioKey = (secret: string) => Promise<StudioKey>

/** What a session JWT looks like, and no key that the server makes. */
const sessionJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

interface KeyCheckOptions {
  /** There are no other keys than the root key without it. */
  find: FindStudioKey | undefined
  /** Finds the staff by the session of a request, and counts their calls; there is none without it. Throws as `createStaffFinder` says. */
  findStaff: ((request: FastifyRequest) => Promise<StudioKey>) | undefined
  limit: LimitChecks
}

/**
 * Returns a check of who calls as the studio: of the root key in constant time, of the staff by `findStaff`, of all other keys by `find`.
 * Only wrong keys count by address: those who guess do not use up the calls of a game server behind the same one.
 *
 * The check throws `Failure` STUDIO_KEY_INVALID without a key; KEY_EXPIRED; KEY_REVOKED; SESSION_ENDED; NOT_STAFF; TOO_MANY_REQUESTS;
 * INSUFFICIENT_SCOPE unless the key or the staff has one of the scopes.
 */
export function createStudioKeyCheck(studioApiKey: string, { find = findNoKey, findStaff, limit }: KeyCheckOptions) {
  const expected = digest(studioApiKey)
  const isRoot = (secret: string | undefined) => timingSafeEqual(digest(secret ?? ''), expected)
  const findKey = async (request: FastifyRequest, secret: string | undefined) => {
    try {
      if (isRoot(secret)) return rootKey
      if (secret === undefined) throw new Failure('STUDIO_KEY_INVALID')
      return await find(secret)
    } catch (error) {
      if (error instanceof Failure && errors[error.code].status === 401) await limit.address(request)
      throw error
    }
  }
  const findCounted = async (request: FastifyRequest, secret: string | undefined) => {
    const key = await findKey(request, secret)
    await limit.caller(request, key.id ?? key.name)
    return key
  }
  return async (request: FastifyRequest, needed: readonly Scope[]): Promise<StudioKey> => {
    const secret = bearerToken(request)
    const isSession = secret !== undefined && sessionJwt.test(secret) && !isRoot(secret)
    const key = findStaff && isSession ? await findStaff(request) : await findCounted(request, secret)
    requireScope(key, needed)
    return key
  }
}

/** Throws `Failure` INSUFFICIENT_SCOPE unless there is one of the scopes. */
export function requireScope(key: StudioKey, needed: readonly Scope[]): void {
  if (!needed.some((scope) => key.scopes.includes(scope))) throw new Failure('INSUFFICIENT_SCOPE', { detail: needed.join(' or ') })
}

async function findNoKey(): Promise<never> {
  throw new Failure('STUDIO_KEY_INVALID')
}

/** The constant-time comparison needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

import { createHash, timingSafeEqual } from 'node:crypto'

import { errors, Failure } from '@juicebar/contract/errors'
import { ROOT_KEY, type Scope, scopes } from '@juicebar/contract/scopes'
import { type FastifyRequest } from 'fastify'

import { bearerToken } from './bearer-token.ts'
import { type LimitChecks } from './rate-limits.ts'

/** Whoever calls as the studio. */
export interface StudioKey {
  /** Null for the root key. */
  id: string | null
  name: string
  scopes: readonly Scope[]
  /** Tokens that it may credit in a UTC day; null without a limit. */
  dailyCreditLimit: number | null
  expiresAt: Date | null
}

const rootKey: StudioKey = { id: null, name: ROOT_KEY, scopes, dailyCreditLimit: null, expiresAt: null }

/** Returns the key that has this secret. Throws `Failure` STUDIO_KEY_INVALID, KEY_EXPIRED or KEY_REVOKED. */
export type FindStudioKey = (secret: string) => Promise<StudioKey>

interface KeyCheckOptions {
  /** There are no other keys than the root key without it. */
  find: FindStudioKey | undefined
  limit: LimitChecks
}

/**
 * Returns a check of the studio key: of the root key in constant time, of all others by `find`. Only wrong keys count by address: those
 * who guess do not use up the calls of a game server behind the same one.
 *
 * The check throws `Failure` STUDIO_KEY_INVALID without a key; KEY_EXPIRED; KEY_REVOKED; TOO_MANY_REQUESTS; INSUFFICIENT_SCOPE unless the
 * key has one of the scopes.
 */
export function createStudioKeyCheck(studioApiKey: string, { find = findNoKey, limit }: KeyCheckOptions) {
  const expected = digest(studioApiKey)
  const findKey = async (request: FastifyRequest) => {
    const secret = bearerToken(request)
    if (timingSafeEqual(digest(secret ?? ''), expected)) return rootKey
    if (secret === undefined) throw new Failure('STUDIO_KEY_INVALID')
    return find(secret)
  }
  return async (request: FastifyRequest, needed: readonly Scope[]): Promise<StudioKey> => {
    const key = await findKey(request).catch(async (error: unknown) => {
      if (error instanceof Failure && errors[error.code].status === 401) await limit.address(request)
      throw error
    })
    await limit.caller(request, key.id ?? key.name)
    if (!needed.some((scope) => key.scopes.includes(scope))) throw new Failure('INSUFFICIENT_SCOPE', { detail: needed.join(' or ') })
    return key
  }
}

async function findNoKey(): Promise<never> {
  throw new Failure('STUDIO_KEY_INVALID')
}

/** The constant-time comparison needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

import { createHash, timingSafeEqual } from 'node:crypto'

import { type WalletAddress } from '@juicebar/contract/addresses'
import { errors, Failure } from '@juicebar/contract/errors'
import { ROOT_KEY, type Scope, scopes } from '@juicebar/contract/scopes'
import { type FastifyRequest } from 'fastify'

import { bearerToken } from './bearer-token.ts'
import { type LimitChecks } from './rate-limits.ts'

/** A caller as the studio: the key of the settings, a member of the staff, or a key that one of them has made. */
export type StudioKey = RootKey | StaffMember | MadeKey

interface Named {
  /** Its name in the log: for staff, the wallet. */
  name: string
  scopes: readonly Scope[]
}

interface RootKey extends Named {
  kind: 'root'
}

export interface StaffMember extends Named {
  kind: 'staff'
  /** It signs in with this wallet. */
  wallet: WalletAddress
}

interface MadeKey extends Named {
  kind: 'made'
  id: string
  /** Tokens that it may credit per UTC day; null without a limit. */
  dailyCreditLimit: number | null
  expiresAt: Date | null
}

const rootKey: RootKey = { kind: 'root', name: ROOT_KEY, scopes }

/** Returns the key that has this secret. Throws `Failure` STUDIO_KEY_INVALID, KEY_EXPIRED or KEY_REVOKED. */
export type FindStudioKey = (secret: string) => Promise<StudioKey>

/** The form of a session JWT, which no key made by the server has. */
const sessionJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

interface KeyCheckOptions {
  /** Without it, there are no keys other than the root key. */
  find: FindStudioKey | undefined
  /**
   * Finds the staff by the session of a request, and counts their calls; without it, there is no staff. Throws the failures of
   * `createStaffFinder`.
   */
  findStaff: ((request: FastifyRequest) => Promise<StudioKey>) | undefined
  limit: LimitChecks
}

/**
 * Returns a check of callers as the studio: the root key in constant time, the staff by `findStaff`, all other keys by `find`. Only wrong
 * keys count by address, so that guessing does not use up the calls of a game server behind the same address.
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
    await limit.caller(request, key.kind === 'made' ? key.id : key.name)
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

/** Throws `Failure` INSUFFICIENT_SCOPE unless the caller has one of the scopes. */
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

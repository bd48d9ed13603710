import { createHash, timingSafeEqual } from 'node:crypto'
import { type FastifyRequest } from 'fastify'
import { SIGNATURE_HEADER, CHALLENGE_HEADER, isSignedCall } from '@juicebar/contract/endpoints/signed'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { errors, Failure } from '@juicebar/contract/errors'
import { ROOT_KEY, type Scope, scopes } from '@juicebar/contract/scopes'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { type LimitChecks } from './rate-limits.ts'

/** The token of `Authorization: Bearer`; undefined if there is none. */
export function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

const texts = new WeakMap<FastifyRequest, string>()

/** Keeps the body of a request as it was sent, if a wallet may have signed it. */
export function keepSentBody(request: FastifyRequest, text: string): void {
  if (request.headers[SIGNATURE_HEADER] !== undefined) texts.set(request, text)
}

/** The body of a request with a signature, as it was sent; empty if it has none. */
function sentBody(request: FastifyRequest): string {
  return texts.get(request) ?? ''
}

/** A caller as the studio: the key of the settings, a member of the staff, or a key that one of them has made. */
export type StudioKey = RootKey | StaffMember | MadeKey

interface Named {
  /** Its name in the log: for staff, the wallet. */
  name: string
  scopes: readonly Scope[]
  /** Which callers share its idempotency keys: empty for all, but those with a daily limit. */
  namespace: string
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

const rootKey: RootKey = { kind: 'root', name: ROOT_KEY, scopes, namespace: '' }

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
function requireScope(key: StudioKey, needed: readonly Scope[]): void {
  if (!needed.some((scope) => key.scopes.includes(scope))) throw new Failure('INSUFFICIENT_SCOPE', { detail: needed.join(' or ') })
}

async function findNoKey(): Promise<never> {
  throw new Failure('STUDIO_KEY_INVALID')
}

/** The constant-time comparison needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A call that needs a fresh signature, as it arrived. */
export interface SignedRequest {
  wallet: WalletAddress
  /** Method and path, with its query. */
  call: string
  /** Empty if it has none. */
  body: string
  /** The headers; undefined if they are missing. */
  challenge: string | undefined
  signature: string | undefined
}

export interface StaffLookup {
  /** What a wallet may do as the studio; undefined if it is not on the staff. */
  find(wallet: WalletAddress): Promise<StaffMember | undefined>
  /** Throws `Failure` CHALLENGE_NEEDED and the other codes that begin so, unless the wallet has signed this call. */
  checkSignature(signed: SignedRequest): Promise<void>
}

interface StaffCheckOptions {
  staff: StaffLookup
  /** Returns the wallet of the request's session; throws `Failure` SESSION_ENDED. */
  authenticate: (request: FastifyRequest) => Promise<{ player: WalletAddress }>
  limit: LimitChecks
}

/**
 * Returns a check of a request's session. Like wrong keys, only ended sessions and those of others count by address.
 *
 * The check throws `Failure` SESSION_ENDED; NOT_STAFF; TOO_MANY_REQUESTS.
 */
export function createStaffFinder({ staff, authenticate, limit }: StaffCheckOptions) {
  const findMember = async (request: FastifyRequest) => {
    const { player } = await authenticate(request)
    await limit.caller(request, player)
    const member = await staff.find(player)
    if (!member) throw new Failure('NOT_STAFF')
    return member
  }
  return async (request: FastifyRequest): Promise<StudioKey> => {
    try {
      return await findMember(request)
    } catch (error) {
      if (error instanceof Failure && (error.code === 'SESSION_ENDED' || error.code === 'NOT_STAFF')) await limit.address(request)
      throw error
    }
  }
}

interface ArrivedCall {
  name: EndpointName
  key: StudioKey
  needed: readonly Scope[]
  staff: StaffLookup | undefined
}

/**
 * The checks of a staff call once it has fully arrived: its sender may have been removed while the body was arriving, and some calls need a
 * signature. Returns what the caller may do now; calls with keys need none of this.
 *
 * Throws `Failure` NOT_STAFF; INSUFFICIENT_SCOPE; CHALLENGE_NEEDED and the other codes that begin so.
 */
export async function confirmCaller(request: FastifyRequest, { name, key, needed, staff }: ArrivedCall): Promise<StudioKey> {
  if (key.kind !== 'staff' || !staff) return key
  const { wallet } = key
  const current = arrivesWithHeaders(request) ? key : await staff.find(wallet)
  if (!current) throw new Failure('NOT_STAFF')
  requireScope(current, needed)
  if (isSignedCall(name)) {
    await staff.checkSignature({
      wallet,
      call: `${request.method} ${request.url}`,
      body: sentBody(request),
      challenge: header(request, CHALLENGE_HEADER),
      signature: header(request, SIGNATURE_HEADER),
    })
  }
  return current
}

/** Nothing follows the headers. Even an empty body may be long in coming. */
function arrivesWithHeaders({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

function header({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

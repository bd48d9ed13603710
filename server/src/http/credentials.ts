import { createHash, timingSafeEqual } from 'node:crypto'
import { type FastifyRequest } from 'fastify'
import { SIGNATURE_HEADER, CHALLENGE_HEADER, isSignedCall } from '@juicebar/contract/endpoints/signed'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { errors, Failure } from '@juicebar/contract/errors'
import { ROOT_KEY, type Scope, scopes } from '@juicebar/contract/scopes'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { type LimitChecks, type LimitName } from './rate-limits.ts'

/** Who makes a request. */
export type Caller = { kind: 'visitor' } | Player | StudioKey

/** A session: of the JWT that the request carries. */
export interface Session {
  id: string
  player: WalletAddress
}

interface Player extends Session {
  kind: 'player'
}

/** A caller as the studio: the key of the settings, a member of the staff, or a key that one of them has made. */
export type StudioKey = RootKey | StaffMember | MadeKey

interface Named {
  /** Its name in the log: for staff, the wallet. */
  name: string
  scopes: readonly Scope[]
  /** Where the idempotency keys of its orders are known: empty for all that have no daily limit, which share theirs. */
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
  kind: 'key'
  id: string
  /** Tokens that it may credit per UTC day; null without a limit. */
  dailyCreditLimit: number | null
  expiresAt: Date | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Found when the headers have arrived; undefined on routes that are no call. */
    caller?: Caller
    /** The body as it was sent, if a wallet may have signed it; otherwise empty. */
    sentBody: string
  }
}

/** What a call asks of its caller. Of the studio, the keys and the staff have limits of their own. */
export type Requirement = { access: 'open' | 'player'; limit: LimitName } | { access: 'studio'; scopes: readonly Scope[] }

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

/** Returns the key that has this secret. Throws `Failure` STUDIO_KEY_INVALID, KEY_EXPIRED or KEY_REVOKED. */
export type FindStudioKey = (secret: string) => Promise<StudioKey>

export interface CallerOptions {
  limits: Record<LimitName, LimitChecks>
  studioApiKey: string
  /** Finds every other studio key; without it, there are none. */
  findStudioKey?: FindStudioKey
  /** Finds who may call as the studio with a session; without it, nobody may. */
  staff?: StaffLookup
  /** Returns the request's session; throws `Failure` UNAUTHORIZED or SESSION_ENDED if it has none. */
  authenticate: (request: FastifyRequest) => Promise<Session>
}

/** The token of `Authorization: Bearer`; undefined if there is none. */
export function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** The form of a session JWT, which no key made by the server has. */
const sessionJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/
const rootKey: RootKey = { kind: 'root', name: ROOT_KEY, scopes, namespace: '' }

/**
 * Returns the one function that finds who makes a request, and counts it. Of the studio only wrong keys, ended sessions and those of others
 * count by address, so that guessing does not use up the calls of a game server behind the same address.
 *
 * It throws `Failure` TOO_MANY_REQUESTS; for players UNAUTHORIZED, SESSION_ENDED; for the studio STUDIO_KEY_INVALID without a key,
 * KEY_EXPIRED, KEY_REVOKED, SESSION_ENDED, NOT_STAFF, INSUFFICIENT_SCOPE unless it has one of the scopes.
 */
export function createCallerFinder({ limits, studioApiKey, findStudioKey, staff, authenticate }: CallerOptions) {
  const expected = digest(studioApiKey)
  const isRoot = (secret: string) => timingSafeEqual(digest(secret), expected)

  const findPlayer = async (request: FastifyRequest, limit: LimitChecks): Promise<Player> => {
    const session = await authenticate(request)
    await limit.caller(request, session.player)
    return { kind: 'player', ...session }
  }
  const findMember = async (request: FastifyRequest, lookup: StaffLookup): Promise<StaffMember> => {
    const { player } = await findPlayer(request, limits.desk)
    const member = await lookup.find(player)
    if (!member) throw new Failure('NOT_STAFF')
    return member
  }
  const findKey = async (request: FastifyRequest, secret: string): Promise<StudioKey> => {
    const key = isRoot(secret) ? rootKey : await findStudioKey?.(secret)
    if (!key) throw new Failure('STUDIO_KEY_INVALID')
    await limits.studio.caller(request, key.kind === 'key' ? key.id : key.name)
    return key
  }
  const findStudio = async (request: FastifyRequest): Promise<StudioKey> => {
    const secret = bearerToken(request) ?? ''
    const member = staff && sessionJwt.test(secret) && !isRoot(secret) ? staff : undefined
    try {
      return await (member ? findMember(request, member) : findKey(request, secret))
    } catch (error) {
      const isStranger = error instanceof Failure && (errors[error.code].status === 401 || error.code === 'NOT_STAFF')
      if (isStranger) await limits[member ? 'desk' : 'studio'].address(request)
      throw error
    }
  }

  return async (request: FastifyRequest, required: Requirement): Promise<Caller> => {
    if (required.access === 'studio') return requireScope(await findStudio(request), required.scopes)
    const limit = limits[required.limit]
    await limit.address(request)
    return required.access === 'player' ? findPlayer(request, limit) : { kind: 'visitor' }
  }
}

/** Throws `Failure` INSUFFICIENT_SCOPE unless the caller has one of the scopes. */
function requireScope(key: StudioKey, needed: readonly Scope[]): StudioKey {
  if (!needed.some((scope) => key.scopes.includes(scope))) throw new Failure('INSUFFICIENT_SCOPE', { detail: needed.join(' or ') })
  return key
}

/** The constant-time comparison needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

interface ArrivedCall {
  name: EndpointName
  key: StudioKey
  scopes: readonly Scope[]
  staff: StaffLookup | undefined
  findStudioKey: FindStudioKey | undefined
}

/**
 * The checks of a studio's call once it has fully arrived: its key may have been revoked, or its sender removed, while the body was arriving,
 * and some calls of staff need a signature. Returns what the caller may do now.
 *
 * Throws `Failure` STUDIO_KEY_INVALID, KEY_REVOKED and KEY_EXPIRED; NOT_STAFF; INSUFFICIENT_SCOPE; CHALLENGE_NEEDED and the other codes that begin so.
 */
export async function confirmCaller(
  request: FastifyRequest,
  { name, key, scopes: needed, staff, findStudioKey }: ArrivedCall,
): Promise<StudioKey> {
  if (key.kind === 'key' && !arrivesWithHeaders(request)) return (await findStudioKey?.(bearerToken(request) ?? '')) ?? key
  if (key.kind !== 'staff' || !staff) return key
  const { wallet } = key
  const current = arrivesWithHeaders(request) ? key : await staff.find(wallet)
  if (!current) throw new Failure('NOT_STAFF')
  requireScope(current, needed)
  if (isSignedCall(name)) {
    await staff.checkSignature({
      wallet,
      call: `${request.method} ${request.url}`,
      body: request.sentBody,
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

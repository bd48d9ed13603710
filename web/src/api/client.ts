import { type Body, type Params, type Query, type Reply, type RequestHeaders } from '@juicebar/contract/calls'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { type PlayerEndpointName, playerEndpoints } from '@juicebar/contract/endpoints/player'
import { type ErrorCode } from '@juicebar/contract/errors'
import { create } from 'zustand'

import { ApiError } from './api-error.ts'

type Field<Key extends string, Value> = [Value] extends [undefined]
  ? object
  : undefined extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value }

/** A call's path parameters, query, headers and body, as in the contract. */
export type CallInput<Name extends EndpointName> = Field<'params', Params<Name>> &
  Field<'query', Query<Name>> &
  Field<'headers', RequestHeaders<Name>> &
  Field<'body', Body<Name>> & { signal?: AbortSignal }

export interface AnyInput {
  params?: object | undefined
  query?: object | undefined
  headers?: object | undefined
  body?: unknown
  signal?: AbortSignal | undefined
}

/** How long to wait for a reply. The server itself gives up after 10 s. */
const TIMEOUT_MS = 15_000

let knownEventId: string | undefined

/** The event that the first page of listings came with: a stream that starts there misses nothing that was loaded afterwards. */
export function readKnownEventId(): string | undefined {
  return knownEventId
}

/** Notes the event that data in the page came with. The first one counts. */
export function noteEventId(id: string | undefined): void {
  knownEventId ??= id
}

let refusedListener: ((error: ApiError) => void) | undefined

/** Sets the single listener that is called when the server refuses this browser's session. */
export function onSessionRefused(listener: (error: ApiError) => void): void {
  refusedListener = listener
}

/**
 * Makes one of the players' calls of the contract.
 *
 * @throws ApiError with the server's code, or NETWORK, TIMEOUT or BAD_REPLY
 */
export function call<Name extends PlayerEndpointName>(name: Name, input: CallInput<Name> & AnyInput): Promise<Reply<Name>> {
  return callEndpoint(playerEndpoints[name], input)
}

/**
 * Makes the call of an endpoint, such as `GET /health`.
 *
 * @throws ApiError with the server's code, or NETWORK, TIMEOUT or BAD_REPLY
 */
export async function callEndpoint<Shape>(endpoint: string, input: AnyInput): Promise<Shape> {
  const response = await send(endpoint, input)
  if (response.status === 204) return undefined as Shape
  return await readJson(response)
}

/**
 * Makes a call whose reply is the same for everyone, without the session: while the database is down, only such calls are answered.
 *
 * @throws ApiError with the server's code, or NETWORK, TIMEOUT or BAD_REPLY
 */
export async function callAsVisitor<Shape>(endpoint: string, input: AnyInput): Promise<Shape> {
  return await readJson(await send(endpoint, input, { asVisitor: true }))
}

/**
 * Ends the session of a JWT that this browser has forgotten already.
 *
 * @throws ApiError
 */
export async function endSession(jwt: string): Promise<void> {
  // Also if the page is being left.
  await send(playerEndpoints.logout, {}, { jwt, keepalive: true })
}

/**
 * Sends a call, and returns its reply unread.
 *
 * @throws ApiError with the server's code, or NETWORK or TIMEOUT
 */
export async function send(
  endpoint: string,
  input: AnyInput,
  options: Pick<RequestInit, 'priority' | 'keepalive'> & { headers?: object; asVisitor?: boolean; jwt?: string } = {},
): Promise<Response> {
  const [method = 'GET', template = '/'] = endpoint.split(' ')
  const listsMarket = endpoint === playerEndpoints.listings
  const headers: Record<string, string> = { accept: 'application/json', ...input.headers, ...options.headers }
  const jwt = options.asVisitor ? undefined : (options.jwt ?? readJwt())
  if (jwt) headers['authorization'] = `Bearer ${jwt}`
  const init: RequestInit = {
    method,
    headers,
    cache: 'no-cache',
    priority: options.priority ?? 'auto',
    keepalive: options.keepalive ?? false,
  }
  if (input.body !== undefined) {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(input.body)
  }
  const response = await fetchBounded(fillPath(template, input), init, input.signal)
  if (response.ok) {
    noteEventId(response.headers.get('last-event-id') ?? undefined)
    if (listsMarket) noteMarketAge(Number(response.headers.get('age')))
    return response
  }
  const error = await readError(response)
  // While the database is down, only calls without a session get the last known market.
  if (jwt && listsMarket && error.code === 'DATABASE_DOWN') return await send(endpoint, input, { asVisitor: true })
  const refused = error.code === 'UNAUTHORIZED' || error.code === 'SESSION_ENDED'
  // A reply to an older JWT says nothing about the session that has begun since.
  if (refused && jwt && jwt === readJwt()) refusedListener?.(error)
  throw error
}

async function fetchBounded(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal })
    if (isStream(response)) return response
    // Read here, because a connection may also break off silently between the headers and the end of the body.
    const body = await response.blob()
    return new Response(body.size ? body : null, response)
  } catch (cause) {
    if (signal?.aborted) throw cause
    if (timeout.signal.aborted) throw new ApiError('TIMEOUT', 'The server took too long to answer.', { cause })
    throw new ApiError('NETWORK', 'The server cannot be reached. Make sure your internet connection is stable', { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** The event stream, which does not end. */
function isStream({ ok, headers }: Response): boolean {
  return ok && headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** Fills the `:name` parts of a path and appends the query, without fields that are undefined or empty. */
export function fillPath(template: string, input: { params?: object | undefined; query?: object | undefined }): string {
  const params = new Map(Object.entries(input.params ?? {}))
  const path = template.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params.get(key))))
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(key, String(value))
  }
  return query.size ? `${path}?${query}` : path
}

async function readError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  const requestId = response.headers.get('x-request-id')
  const fallback = `The server answered with an error (${response.status}).`
  // A body that is not JSON carries no message of the server.
  const body: unknown = await response.json().catch(() => undefined)
  if (!isErrorReply(body)) return new ApiError('BAD_REPLY', fallback, { status: response.status, retryAfter })
  // With the id, a person who reports an unexpected error can name the line in the server's log.
  const message = body.code === 'INTERNAL' && requestId ? `${body.error} (Request ${requestId})` : body.error
  return new ApiError(body.code ?? 'UNCODED', message, { status: response.status, retryAfter, listingId: body.listingId })
}

function isErrorReply(body: unknown): body is { error: string; code?: ErrorCode; listingId?: string } {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string' && body.error !== ''
}

// The server serialises with the schemas that these types come from, so the shape is not checked again.
async function readJson<Shape>(response: Response): Promise<Shape> {
  try {
    const body: unknown = await response.json()
    return body as Shape
  } catch (cause) {
    throw new ApiError('BAD_REPLY', 'The server’s answer could not be read.', { status: response.status, cause })
  }
}

/** The local storage key of the session JWT (specification, section 9). */
const JWT_KEY = 'jwt_token'

/** @returns the session JWT; undefined for a visitor, as which the server renders */
export function readJwt(): string | undefined {
  return typeof localStorage === 'undefined' ? undefined : (localStorage.getItem(JWT_KEY) ?? undefined)
}

export function writeJwt(jwt: string): void {
  localStorage.setItem(JWT_KEY, jwt)
}

export function clearJwt(): void {
  localStorage.removeItem(JWT_KEY)
}

/**
 * Calls `listener` when another tab signs in (with its JWT) or out (with undefined).
 *
 * @returns a function that stops listening
 */
export function onJwtChangedElsewhere(listener: (jwt: string | undefined) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.storageArea !== localStorage) return
    if (event.key === JWT_KEY || event.key === null) listener(readJwt())
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** When the market on the screen was last known to be right, in milliseconds by this browser's clock; 0 before it is loaded. */
export const useMarketTime = create<{ asOf: number }>(() => ({ asOf: 0 }))

/** How many seconds ago the market on the screen was last right. */
export function noteMarketAge(seconds: number): void {
  useMarketTime.setState({ asOf: Date.now() - seconds * 1_000 })
}

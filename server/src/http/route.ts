import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Body, type Params, type Query, type Reply, type RequestHeaders } from '@juicebar/contract/calls'
import { type EndpointName, endpoints, methods } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { type Scope } from '@juicebar/contract/scopes'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifySchema, type HTTPMethods } from 'fastify'
import { compress, takesGzip } from './compression.ts'
import { type CallerOptions, confirmCaller, createCallerFinder, type Requirement, type Session, type StudioKey } from './credentials.ts'
import { type LimitChecks, type LimitName } from './rate-limits.ts'

/** Whether the call at a route's path can only be answered with the database. */
export function needsDatabase(url: string): boolean {
  return url.startsWith('/p/') || (url.startsWith('/api/') && url !== '/api/config' && url !== '/api/openapi.json')
}

/** A call as a feature declares it: what it is, and what it asks of its caller. */
export type DeclaredCall = Requirement & { name: EndpointName }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's call that the route answers; undefined for routes that are not part of the API. */
    call?: DeclaredCall
  }
}

/** One request to the call `Name`, validated against the contract's schemas. */
export interface Call<Name extends EndpointName> {
  body: Body<Name>
  params: Params<Name>
  query: Query<Name>
  headers: RequestHeaders<Name>
  request: FastifyRequest
  reply: FastifyReply
  /** Replies with a status other than the call's usual one. */
  status(code: number): void
  /** Replies with already rendered JSON: `return call.sendJson(text)`. */
  sendJson(text: string | Buffer): typeof answered
  /** The same for JSON that is the same for everyone: compressed if the client accepts it. `gzipped` is the text, compressed in advance. */
  sendPublicJson(text: string, gzipped?: Buffer): Promise<typeof answered>
}

export interface PlayerCall<Name extends EndpointName> extends Call<Name> {
  player: WalletAddress
  session: Session
  /**
   * Counts the call against another rate limit besides its own.
   *
   * @throws Failure TOO_MANY_REQUESTS, with the wait.
   */
  count(limit: LimitName): Promise<void>
}

export interface StudioCall<Name extends EndpointName> extends Call<Name> {
  /** Whose key or wallet made the call, for the studio's log. */
  actor: string
  key: StudioKey
}

/** What a handler returns after it replied through `call.reply` itself, with an event stream or a 304. */
export const answered = Symbol('answered')

type Handler<Name extends EndpointName, C> = (call: C) => Promise<Reply<Name> | typeof answered>

/** How features declare their calls; their methods, paths and schemas are in the contract under the same names. */
export interface Api {
  /** Anyone may call. */
  open<Name extends EndpointName>(name: Name, limit: LimitName, handler: Handler<Name, Call<Name>>): void
  /** Needs a session. */
  player<Name extends EndpointName>(name: Name, limit: LimitName, handler: Handler<Name, PlayerCall<Name>>): void
  /** Needs a studio key or a session of the staff with the scope, or with one of several; of the staff some calls need a signature. */
  studio<Name extends EndpointName>(name: Name, scope: Scope | readonly Scope[], handler: Handler<Name, StudioCall<Name>>): void
}

/** Binds the contract's calls to a server. Checks come in this order: limit by address, caller, limit by wallet or key, scope, body. */
export function createApi(fastify: FastifyInstance, options: CallerOptions): Api {
  const { limits, staff, findStudioKey } = options
  const findCaller = createCallerFinder(options)
  const add = (call: DeclaredCall, handle: Handle) => {
    const onRequest: Check = async (request) => {
      request.caller = await findCaller(request, call)
    }
    const isNamedInBody = call.access === 'open' && 'body' in schemas[call.name]
    addRoute(fastify, call, { onRequest, preHandler: isNamedInBody ? [limitByNamedWallet(limits[call.limit])] : [], handle })
  }

  return {
    open: (name, limit, handler) =>
      add({ name, access: 'open', limit }, async (request, reply) => handler(createCall(name, request, reply))),

    player: (name, limit, handler) =>
      add({ name, access: 'player', limit }, async (request, reply) => {
        const session = sessionOf(request)
        const count = async (other: LimitName) => {
          await limits[other].address(request)
          await limits[other].caller(request, session.player)
        }
        return handler({ ...createCall(name, request, reply), player: session.player, session, count })
      }),

    studio: (name, scope, handler) => {
      const scopes = typeof scope === 'string' ? [scope] : scope
      add({ name, access: 'studio', scopes }, async (request, reply) => {
        const key = await confirmCaller(request, { name, key: keyOf(request), scopes, staff, findStudioKey })
        return handler({ ...createCall(name, request, reply), actor: key.name, key })
      })
    },
  }
}

function sessionOf({ caller }: FastifyRequest): Session {
  if (caller?.kind !== 'player') throw new Error('a call was reached without a session')
  return caller
}

function keyOf({ caller }: FastifyRequest): StudioKey {
  if (!caller || caller.kind === 'visitor' || caller.kind === 'player') throw new Error('a call was reached without a studio key')
  return caller
}

type Check = (request: FastifyRequest) => Promise<void>
type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

interface RouteParts {
  onRequest: Check
  preHandler: Check[]
  handle: Handle
}

function addRoute(fastify: FastifyInstance, call: DeclaredCall, { onRequest, preHandler, handle }: RouteParts): void {
  const { name } = call
  const [method, url] = splitEndpoint(endpoints[name])
  const success = successStatus(schemas[name])
  const { maxBodyBytes }: CallSchema = schemas[name]
  fastify.route({
    method,
    url,
    config: { call },
    ...(maxBodyBytes !== undefined && { bodyLimit: maxBodyBytes }),
    schema: checkedParts(schemas[name]),
    exposeHeadRoute: name !== 'events',
    onRequest: [requireWholePath, onRequest],
    preHandler,
    handler: async (request, reply) => {
      reply.code(success).header('cache-control', 'no-store')
      const body = await handle(request, reply)
      return body === answered ? reply : reply.send(body)
    },
  })
}

/** What the framework validates and serialises. */
function checkedParts({ params, querystring, headers, body, response }: CallSchema): FastifySchema {
  return {
    ...(params && { params }),
    ...(querystring && { querystring }),
    ...(headers && { headers }),
    ...(body && { body }),
    ...(response && { response }),
  }
}

/** A path with an empty id belongs to no call. */
async function requireWholePath({ params }: FastifyRequest): Promise<void> {
  if (Object.values(params ?? {}).includes('')) throw new Failure('NOT_FOUND')
}

/**
 * When signing in, a caller names a wallet without proof. The call counts for that wallet from this address, so nobody can use up another
 * wallet's limit.
 */
function limitByNamedWallet(limit: LimitChecks): Check {
  return async (request) => {
    const { body } = request
    if (typeof body !== 'object' || body === null || !('walletAddress' in body)) return
    await limit.caller(request, `${request.ip} ${String(body.walletAddress)}`)
  }
}

function createCall<Name extends EndpointName>(name: Name, request: FastifyRequest, reply: FastifyReply): Call<Name> {
  const validated = <Part>(part: keyof FastifySchema, value: unknown): Part =>
    // The framework has just validated `value` against the schema that `Part` is derived from.
    (part in schemas[name] ? value : undefined) as Part
  return {
    body: validated<Body<Name>>('body', request.body ?? null),
    params: validated<Params<Name>>('params', request.params),
    query: validated<Query<Name>>('querystring', request.query),
    headers: validated<RequestHeaders<Name>>('headers', request.headers),
    request,
    reply,
    status: (code) => void reply.code(code),
    sendJson: (text) => sendJson(reply, text),
    sendPublicJson: async (text, gzipped) => {
      const vary = reply.getHeader('vary')
      reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`)
      if (!takesGzip(request.headers['accept-encoding'])) return sendJson(reply, text)
      const body = gzipped ?? (await compress(text))
      reply.header('content-encoding', 'gzip')
      return sendJson(reply, body)
    },
  }
}

function sendJson(reply: FastifyReply, body: string | Buffer): typeof answered {
  reply.type('application/json; charset=utf-8').send(body)
  return answered
}

function splitEndpoint(endpoint: (typeof endpoints)[EndpointName]): [HTTPMethods, string] {
  const [method, url] = endpoint.split(' ')
  if (!isMethod(method) || !url) throw new Error(`unreadable endpoint ${endpoint}`)
  return [method, url]
}

function isMethod(text: string | undefined): text is (typeof methods)[number] {
  return methods.some((method) => method === text)
}

/** The only success status that the contract names, otherwise 200. */
function successStatus({ response = {} }: CallSchema): number {
  const [only, ...others] = Object.keys(response)
  return only && others.length === 0 ? Number(only) : 200
}

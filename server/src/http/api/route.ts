import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Body, type Params, type Query, type Reply } from '@juicebar/contract/calls'
import { type EndpointName, endpoints } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { schemas } from '@juicebar/contract/schemas'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifySchema, type HTTPMethods } from 'fastify'

import { type Access, documentation } from './api-docs.ts'
import { type LimitChecks, type LimitName } from './rate-limits.ts'
import { createStudioCheck } from './studio-key-check.ts'

/** Who is signed in: the session behind the request's token. */
export interface Session {
  id: string
  player: WalletAddress
}

/** One request to the call `Name`, checked against the contract's schemas. */
export interface Call<Name extends EndpointName> {
  body: Body<Name>
  params: Params<Name>
  query: Query<Name>
  request: FastifyRequest
  reply: FastifyReply
  /** Sets another status than the call's usual one. */
  status(code: number): void
  /** Answers with JSON text that is rendered already: `return call.sendJson(text)`. */
  sendJson(text: string | Buffer): typeof answered
}

export interface PlayerCall<Name extends EndpointName> extends Call<Name> {
  player: WalletAddress
  session: Session
  /** Counts one more call against another limit than the call's own; throws TOO_MANY_REQUESTS, with the wait. */
  count(limit: LimitName): Promise<void>
}

/** What a handler gives when it answered through `call.reply` by itself, with an event stream or a 304. */
export const answered = Symbol('answered')

type Handler<Name extends EndpointName, C> = (call: C) => Promise<Reply<Name> | typeof answered>

/** How features declare their calls; methods, paths and schemas stand in the contract under the same name. */
export interface Api {
  /** Anybody may call. */
  open<Name extends EndpointName>(name: Name, limit: LimitName, handler: Handler<Name, Call<Name>>): void
  /** Needs a session; the handler learns whose. */
  player<Name extends EndpointName>(name: Name, limit: LimitName, handler: Handler<Name, PlayerCall<Name>>): void
  /** Needs the studio key. */
  studio<Name extends EndpointName>(name: Name, limit: LimitName, handler: Handler<Name, Call<Name>>): void
}

export interface ApiOptions {
  limits: Record<LimitName, LimitChecks>
  studioApiKey: string
  /** Gives the request's session; throws UNAUTHORIZED or SESSION_ENDED where there is none. */
  authenticate: (request: FastifyRequest) => Promise<Session>
}

/** Binds the contract's calls to a server: limit by address, who calls, limit by wallet, then the body, then the handler. */
export function createApi(fastify: FastifyInstance, { limits, studioApiKey, authenticate }: ApiOptions): Api {
  const sessions = new WeakMap<FastifyRequest, Session>()
  const checkStudioKey = createStudioCheck(studioApiKey)

  return {
    open: (name, limit, handler) => {
      const checks = 'body' in schemas[name] ? [namedWalletLimit(limits[limit])] : []
      addRoute(fastify, name, 'open', [limits[limit].address], checks, (request, reply) => handler(createCall(name, request, reply)))
    },

    player: (name, limit, handler) => {
      const admit = async (request: FastifyRequest) => {
        const session = await authenticate(request)
        sessions.set(request, session)
        await limits[limit].wallet(request, session.player)
      }
      addRoute(fastify, name, 'player', [limits[limit].address, admit], [], (request, reply) => {
        const session = sessions.get(request)
        if (!session) throw new Error(`${name} was reached without a session`)
        const count = async (other: LimitName) => {
          await limits[other].address(request)
          await limits[other].wallet(request, session.player)
        }
        return handler({ ...createCall(name, request, reply), player: session.player, session, count })
      })
    },

    studio: (name, limit, handler) => {
      const admit = async (request: FastifyRequest) => checkStudioKey(request)
      addRoute(fastify, name, 'studio', [limits[limit].address, admit], [], (request, reply) => handler(createCall(name, request, reply)))
    },
  }
}

type Step = (request: FastifyRequest) => Promise<void>

function addRoute(
  fastify: FastifyInstance,
  name: EndpointName,
  access: Access,
  admission: Step[],
  checks: Step[],
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  const [method, url] = splitEndpoint(endpoints[name])
  const success = successStatus(schemas[name])
  fastify.route({
    method,
    url,
    schema: { ...schemas[name], ...documentation(name, access) },
    exposeHeadRoute: name !== 'events',
    onRequest: [requireWholeAddress, ...admission],
    preHandler: checks,
    handler: async (request, reply) => {
      reply.code(success).header('cache-control', 'no-store')
      const body = await handle(request, reply)
      return body === answered ? reply : reply.send(body)
    },
  })
}

/** An address that ends where an identifier should begin, or leaves one out, is no call's. */
async function requireWholeAddress({ params }: FastifyRequest): Promise<void> {
  if (Object.values(params ?? {}).includes('')) throw new Failure('NOT_FOUND')
}

/** Where a stranger names a wallet (signing in), calls count for that wallet from that address: nobody can use up another's. */
function namedWalletLimit(limit: LimitChecks): Step {
  return async (request) => {
    const { body } = request
    if (typeof body !== 'object' || body === null || !('walletAddress' in body)) return
    await limit.wallet(request, `${request.ip} ${String(body.walletAddress)}`)
  }
}

function createCall<Name extends EndpointName>(name: Name, request: FastifyRequest, reply: FastifyReply): Call<Name> {
  const checked = <Part>(part: keyof FastifySchema, value: unknown): Part =>
    // The framework has just checked `value` against the schema that `Part` is derived from.
    (part in schemas[name] ? value : undefined) as Part
  return {
    body: checked<Body<Name>>('body', request.body ?? null),
    params: checked<Params<Name>>('params', request.params),
    query: checked<Query<Name>>('querystring', request.query),
    request,
    reply,
    status: (code) => void reply.code(code),
    sendJson: (text) => {
      reply.type('application/json; charset=utf-8').send(text)
      return answered
    },
  }
}

function splitEndpoint(endpoint: (typeof endpoints)[EndpointName]): [HTTPMethods, string] {
  const [method, url] = endpoint.split(' ')
  if ((method !== 'GET' && method !== 'POST' && method !== 'DELETE') || !url) throw new Error(`unreadable endpoint ${endpoint}`)
  return [method, url]
}

/** 201 and 204 where the contract names no other success, else 200. */
function successStatus(schema: object): number {
  const response = 'response' in schema && typeof schema.response === 'object' ? Object.keys(schema.response ?? {}) : []
  const [only, ...others] = response
  return only && others.length === 0 ? Number(only) : 200
}

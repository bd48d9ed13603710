import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse, createServer as createHttpServer } from 'node:http'
import { Socket } from 'node:net'
import { Failure } from '@juicebar/contract/errors'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type FastifyBaseLogger,
  fastify as createFastify,
} from 'fastify'
import { endpoints, methods } from '@juicebar/contract/endpoints'
import cors from '@fastify/cors'
import { CHALLENGE_HEADER, SIGNATURE_HEADER } from '@juicebar/contract/endpoints/signed'
import helmet from 'helmet'
import { type CatalogueItem } from '@juicebar/contract/catalogue'
import { MAX_BODY_BYTES } from '@juicebar/contract/limits'
import { REQUEST_ID, refuseExpectation, refuseUnclearHost, replyToBrokenRequest, replyWithFailure, requestId } from './failure-reply.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { unstorableTextFailure, validatorCompiler } from './validation.ts'
import { registerApiDocs } from './api-document.ts'
import { cachedCall, type CachedReply, createCachedReplySender } from './cached-replies.ts'

/**
 * Accepts JSON bodies only. An empty body is null whatever its content type: clients send one, JSON or text, even with calls that have
 * no payload.
 */
function acceptJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()

  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (request.headers[SIGNATURE_HEADER] !== undefined) request.sentBody = String(text)
    if (text.length === 0) done(null, null)
    else void parse(request, String(text), done)
  })

  fastify.addContentTypeParser('*', async (request: { headers: { 'content-length'?: string | undefined } }) => {
    if (request.headers['content-length'] === '0') return null
    throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  })
}

/** How long calls in flight may take once the server is closing: as long as the slowest statement. */
const GRACE_MILLIS = 15_000
const eventsPath = endpoints.events.replace('GET ', '')

/**
 * Makes `fastify.close()` end connections that would never end on their own: event streams at once, because their readers resume on another
 * server; keep-alive connections after the call in flight; and everything else after 15 seconds. The framework closes idle connections.
 */
function closeGracefully(fastify: FastifyInstance): void {
  const eventStreams = new Set<FastifyReply['raw']>()
  let closing = false

  fastify.addHook('onRequest', ({ routeOptions }, { raw }, done) => {
    if (routeOptions.url === eventsPath) {
      eventStreams.add(raw)
      raw.once('close', () => eventStreams.delete(raw))
    }
    done()
  })

  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })

  fastify.addHook('preClose', async () => {
    closing = true
    for (const stream of eventStreams) stream.end(() => stream.socket?.destroySoon())
    setTimeout(() => fastify.server.closeAllConnections(), GRACE_MILLIS).unref()
  })
}

/** Logs requests at debug level only: in a busy market, they would drown out what matters. `failure-reply.ts` logs failures. */
class RequestLog extends LogController {
  override incomingRequest(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'a request arrived')
  }

  override requestCompleted(error: Error | null | undefined, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.debug({ res: reply, err: error ?? undefined, responseTime: reply.elapsedTime }, 'a request was answered')
  }

  override routeNotFound(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'no route matches a request')
  }
}

const HSTS_SECONDS = 365 * 24 * 60 * 60

/** The security headers of every reply. `publicOrigin` is the web app's own origin. */
function securityHeaders(publicOrigin: string): OutgoingHttpHeaders {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy },
    hsts: publicOrigin.startsWith('https:') ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
    frameguard: { action: 'deny' },
    // Only obsolete browsers read these.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xDnsPrefetchControl: false,
  })
  const request = new IncomingMessage(new Socket())
  const reply = new ServerResponse(request)
  setHeaders(request, reply, () => undefined)
  return { ...reply.getHeaders(), 'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()' }
}

/** Sets these headers on every reply, and lets browsers call from `publicOrigin` only. */
async function registerSecurity(fastify: FastifyInstance, publicOrigin: string, headers: OutgoingHttpHeaders): Promise<void> {
  // On the raw reply, so that event streams, which bypass the framework, have them too.
  const entries = Object.entries(headers)
  fastify.addHook('onRequest', (_request, { raw }, done) => {
    for (const [name, value] of entries) if (value !== undefined) raw.setHeader(name, value)
    done()
  })
  await fastify.register(cors, {
    origin: [publicOrigin],
    methods: ['HEAD', ...methods],
    allowedHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
      'last-event-id',
      'if-none-match',
      CHALLENGE_HEADER,
      SIGNATURE_HEADER,
      REQUEST_ID,
    ],
    exposedHeaders: ['age', 'etag', 'last-event-id', 'retry-after', REQUEST_ID],
    maxAge: 600,
    strictPreflight: false,
  })
}

/** Nothing is loaded from elsewhere. `solana-wallet:` and `ws://localhost` reach a wallet app on a phone (Mobile Wallet Adapter 2.0). */
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'", 'ws://localhost:*'],
  frameSrc: ['solana-wallet:'],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  // The market can be searched without a script.
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
}

/** A whole request and its headers must arrive within these, so that slow senders cannot occupy connections. */
const REQUEST_MILLIS = 10_000
const HEADERS_MILLIS = 5_000
const CHECK_MILLIS = 1_000
/** Longer than proxies keep idle connections, so that it is always the proxy that closes one. */
const KEEP_ALIVE_MILLIS = 72_000
/** After this silence, a connection is dead. Longer than any call takes, and than any pause in an event stream. */
const MAX_SILENCE_MILLIS = 60_000
/** Longer than any id or address in a path; the schemas have the exact bounds. */
const MAX_PATH_PARAMETER = 256

const timeouts = {
  requestTimeout: REQUEST_MILLIS,
  headersTimeout: HEADERS_MILLIS,
  connectionsCheckingInterval: CHECK_MILLIS,
  keepAliveTimeout: KEEP_ALIVE_MILLIS,
}

export interface ServerOptions {
  log: FastifyBaseLogger
  failures: FailureLog
  publicOrigin: string
  productName: string
  version: string
  /** What is traded here, for the API document. */
  items: readonly CatalogueItem[]
  trustProxy: string[] | false
  /** Whether the server is about to close: if so, each connection is closed after its reply, so that the next call goes elsewhere. */
  isDraining?: () => boolean
  /** Is notified of each answered request: the contract's call, if any, the status and the duration. */
  onAnswered?: ((call: string | undefined, status: number, millis: number) => void) | undefined
  /** Returns the cached reply to a GET of this path and query, if there is one. */
  findCached?: (url: string) => CachedReply | undefined
}

/**
 * Creates the HTTP server without any calls: time-outs and limits against slow and large requests, strict validation, the contract's
 * failure replies, security headers and API docs. It does not listen yet.
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const headers = securityHeaders(options.publicOrigin)
  const sendCached = createCachedReplySender({ headers, publicOrigin: options.publicOrigin, find: options.findCached ?? (() => undefined) })
  const { onAnswered } = options
  const answerCached = onAnswered
    ? (request: IncomingMessage, reply: ServerResponse) => {
        const startedAt = performance.now()
        const isCached = sendCached(request, reply)
        if (isCached) onAnswered(cachedCall, reply.statusCode, performance.now() - startedAt)
        return isCached
      }
    : sendCached
  const fastify = createFastify({
    loggerInstance: options.log,
    logController: new RequestLog({ requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: options.trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handle) => {
      const server = createHttpServer({ ...timeouts, requireHostHeader: false }, (request, reply) => {
        if (options.isDraining?.()) reply.shouldKeepAlive = false
        if (refuseUnclearHost(request, reply)) return
        if (server.listening && answerCached(request, reply)) return
        // On the raw reply, so that replies without a route have it too.
        reply.setHeader(REQUEST_ID, requestId(request))
        handle(request, reply)
      })
      return server.on('checkExpectation', refuseExpectation).setTimeout(MAX_SILENCE_MILLIS)
    },
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    clientErrorHandler: replyToBrokenRequest,
    frameworkErrors: (error, request, reply) => void replyWithFailure(error, request, reply),
  })
  fastify.decorate('failures', options.failures)
  fastify.decorateRequest('caller')
  fastify.decorateRequest('sentBody', '')
  fastify.setValidatorCompiler(validatorCompiler)
  fastify.setErrorHandler(replyWithFailure)
  fastify.addHook('preValidation', (request, _reply, done) => done(unstorableTextFailure(request)))
  if (onAnswered) {
    fastify.addHook('onResponse', (request, reply, done) => {
      onAnswered(request.routeOptions.config.call?.name, reply.statusCode, reply.elapsedTime)
      done()
    })
  }
  acceptJsonBodies(fastify)
  closeGracefully(fastify)
  await registerSecurity(fastify, options.publicOrigin, headers)
  await registerApiDocs(fastify, options)
  return fastify
}

import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'

import { type CatalogueItem } from '@juicebar/contract/catalogue'
import { MAX_BODY_BYTES } from '@juicebar/contract/limits'
import { type FastifyBaseLogger, type FastifyInstance, fastify as createFastify } from 'fastify'

import { type FailureLog } from '../../logging/failure-log.ts'
import { unstorableTextFailure, validatorCompiler } from '../api/validation.ts'
import { registerApiDocs } from '../docs/register-docs.ts'
import { cachedCall, type CachedReply, createCachedReplySender } from './cached-replies.ts'
import { refuseExpectation, refuseUnclearHost, replyToBrokenRequest, replyWithFailure } from './failure-reply.ts'
import { closeGracefully } from './graceful-close.ts'
import { acceptJsonBodies } from './json-body.ts'
import { requestId, REQUEST_ID } from './request-id.ts'
import { RequestLog } from './request-log.ts'
import { registerSecurity, securityHeaders } from './security.ts'

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

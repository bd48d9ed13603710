import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'

import { MAX_BODY_BYTES } from '@juicebar/contract/limits'
import { type FastifyBaseLogger, type FastifyInstance, fastify as createFastify } from 'fastify'

import { registerApiDocs } from '../api/api-docs.ts'
import { refuseExpectation, refuseWithoutHost, replyToBrokenRequest, replyWithFailure } from './failure-reply.ts'
import { closeGracefully } from './graceful-close.ts'
import { readJsonBodies } from './json-body.ts'
import { createReadyReplies, type ReadyReply } from './cached-replies.ts'
import { RequestLog } from './request-log.ts'
import { registerSecurity, securityHeaders } from './security.ts'
import { nulCharacterFailure, validatorCompiler } from '../api/validation.ts'

/** A request must have arrived whole, and its head, within these: slow senders cannot occupy connections. */
const REQUEST_MILLIS = 10_000
const HEADERS_MILLIS = 5_000
const CHECK_MILLIS = 1_000
/** Longer than the proxies in front keep a connection: it is theirs to close. */
const KEEP_ALIVE_MILLIS = 72_000
/** Nothing moved on a connection for so long that its reader is gone; longer than any call takes and than an event stream is silent. */
const SILENCE_MILLIS = 60_000
/** Longer than any identifier or address in a path; the schemas give the exact bounds. */
const MAX_PATH_PARAMETER = 256

const timeouts = {
  requestTimeout: REQUEST_MILLIS,
  headersTimeout: HEADERS_MILLIS,
  connectionsCheckingInterval: CHECK_MILLIS,
  keepAliveTimeout: KEEP_ALIVE_MILLIS,
}

export interface ServerOptions {
  log: FastifyBaseLogger
  publicOrigin: string
  productName: string
  version: string
  trustProxy: string[] | false
  /** What can be answered to a GET of this path and query without any further look at it. */
  findReady?: (url: string) => ReadyReply | undefined
}

/**
 * The HTTP server without any call of its own: time-outs and bounds against slow and large requests, exact validation, the
 * contract's failure replies, security headers and API docs. It does not listen yet.
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const headers = securityHeaders(options.publicOrigin)
  const sendReady = createReadyReplies(headers, options.findReady ?? (() => undefined))
  const fastify = createFastify({
    loggerInstance: options.log,
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
    trustProxy: options.trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handle) => {
      const server = createHttpServer({ ...timeouts, requireHostHeader: false }, (request, reply) => {
        if (refuseWithoutHost(request, reply)) return
        if (!server.listening || !sendReady(request, reply)) handle(request, reply)
      })
      return server.on('checkExpectation', refuseExpectation).setTimeout(SILENCE_MILLIS)
    },
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    clientErrorHandler: replyToBrokenRequest,
    frameworkErrors: (error, request, reply) => void replyWithFailure(error, request, reply),
  })
  fastify.setValidatorCompiler(validatorCompiler)
  fastify.setErrorHandler(replyWithFailure)
  fastify.addHook('preValidation', (request, _reply, done) => done(nulCharacterFailure(request)))
  readJsonBodies(fastify)
  closeGracefully(fastify)
  await registerSecurity(fastify, options.publicOrigin, headers)
  await registerApiDocs(fastify, options)
  return fastify
}

import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import cors from '@fastify/cors'
import { CHALLENGE_HEADER, SIGNATURE_HEADER } from '@juicebar/contract/endpoints/signed'
import { type FastifyInstance } from 'fastify'
import helmet from 'helmet'

import { REQUEST_ID } from './request-id.ts'

const HSTS_SECONDS = 365 * 24 * 60 * 60

/** The security headers of every reply. `publicOrigin` is the web app's own origin. */
export function securityHeaders(publicOrigin: string): OutgoingHttpHeaders {
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
export async function registerSecurity(fastify: FastifyInstance, publicOrigin: string, headers: OutgoingHttpHeaders): Promise<void> {
  // On the raw reply, so that event streams, which bypass the framework, have them too.
  const entries = Object.entries(headers)
  fastify.addHook('onRequest', (_request, { raw }, done) => {
    for (const [name, value] of entries) if (value !== undefined) raw.setHeader(name, value)
    done()
  })
  await fastify.register(cors, {
    origin: [publicOrigin],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
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
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}

import cors from '@fastify/cors'
import { type FastifyInstance } from 'fastify'
import helmet from 'helmet'

const HSTS_SECONDS = 365 * 24 * 60 * 60

/** Browsers let pages of no other origin in, and load nothing from elsewhere. `publicOrigin` is the page's own. */
export async function registerSecurity(fastify: FastifyInstance, publicOrigin: string): Promise<void> {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy },
    hsts: publicOrigin.startsWith('https:') ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
    frameguard: { action: 'deny' },
  })
  // Straight on the raw reply: event streams, which leave the framework, have the headers too. The framework's own plugin
  // builds all of this anew for every request, which was half of the time of a short reply.
  fastify.addHook('onRequest', (request, { raw }, done) => {
    raw.setHeader('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()')
    setHeaders(request.raw, raw, () => done())
  })
  await fastify.register(cors, {
    origin: [publicOrigin],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'last-event-id', 'if-none-match'],
    exposedHeaders: ['etag', 'retry-after'],
    maxAge: 600,
    strictPreflight: false,
  })
}

/** `solana-wallet:` and `ws://localhost` are how a page on a phone reaches a wallet app (Mobile Wallet Adapter 2.0). */
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

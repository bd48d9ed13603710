import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import { type FastifyInstance } from 'fastify'

const HSTS_SECONDS = 365 * 24 * 60 * 60

/** Browsers let pages of no other origin in, and load nothing from elsewhere. `publicOrigin` is the page's own. */
export async function registerSecurity(fastify: FastifyInstance, publicOrigin: string): Promise<void> {
  await fastify.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy },
    hsts: publicOrigin.startsWith('https:') ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
    frameguard: { action: 'deny' },
  })
  await fastify.register(cors, {
    origin: [publicOrigin],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'last-event-id', 'if-none-match'],
    exposedHeaders: ['etag', 'retry-after'],
    maxAge: 600,
    strictPreflight: false,
  })
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()')
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

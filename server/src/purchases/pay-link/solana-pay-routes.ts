import { type FastifyCorsOptions } from '@fastify/cors'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type LimitChecks } from '../../http/rate-limits.ts'
import { replyWithMessage } from '../../http/failure-reply.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The CORS rules for this route. */
    cors?: FastifyCorsOptions
  }
}

/** The replies to wallets that open a payment link. */
export interface PaymentRequests {
  /** Who asks for the payment, and the address of a picture. */
  describe: (token: string) => Promise<{ label: string; icon: string }>
  /** The payment by an account, unsigned. */
  prepare: (token: string, account: string) => Promise<{ transaction: string; message: string }>
}

/** Wallets that are web pages open links from their own origins. */
const cors = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST'],
  allowedHeaders: ['accept', 'accept-encoding', 'cache-control', 'content-type'],
  exposedHeaders: ['retry-after'],
}

interface LinkRequest {
  Params: { token: string }
}

/**
 * Solana Pay's transaction requests: GET and POST /p/:token. They are not calls of the API: the specification defines their fields, lets
 * wallets send others, and returns errors as `{ message }`.
 */
export async function registerPaymentRequests(fastify: FastifyInstance, limit: LimitChecks, requests: PaymentRequests): Promise<void> {
  await fastify.register(async (scope) => {
    scope.setErrorHandler(replyWithMessage)
    scope.addHook('onRequest', async (request: FastifyRequest<LinkRequest>) => {
      await limit.address(request)
      await limit.caller(request, request.params.token)
    })
    const url = '/p/:token'
    const options = { schema: { hide: true }, config: { cors } }
    scope.options(url, options, async (_request, reply) => reply.code(204).send())
    scope.get<LinkRequest>(url, options, async ({ params }, reply) =>
      reply.header('cache-control', 'no-store').send(await requests.describe(params.token)),
    )
    scope.post<LinkRequest>(url, options, async ({ params, body }, reply) =>
      reply.header('cache-control', 'no-store').send(await requests.prepare(params.token, requireAccount(body))),
    )
  })
}

/** @throws FIELDS_MISSING, WALLET_ADDRESS_INVALID */
function requireAccount(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('account' in body)) throw new Failure('FIELDS_MISSING')
  if (typeof body.account !== 'string') throw new Failure('WALLET_ADDRESS_INVALID')
  return body.account
}

import { normalizeIP } from '@fastify/rate-limit'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import { requireTokenAmount } from '../catalogue/catalogue.ts'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type FastifyCorsOptions } from '@fastify/cors'

import { requirePublicId } from '../checkouts/checkout.ts'
import { type Config, phoneOrigin } from '../config.ts'
import { type Session } from '../http/credentials.ts'
import { type Extra } from '../http/extra.ts'
import { replyWithMessage } from '../http/failure-reply.ts'
import { type LimitChecks } from '../http/rate-limits.ts'
import { type Api } from '../http/route.ts'
import { purging } from '../runtime/repeat.ts'
import { listCases } from './cases/case-store.ts'
import { prepareRefund, submitRefund } from './cases/refund-case.ts'
import { makeOffer } from './co-signed/make-offer.ts'
import { reservePayment } from './co-signed/reserve-payment.ts'
import { cancelHold } from './hold/end-hold.ts'
import { placeHold } from './hold/place-hold.ts'
import { makePayLink, preparePayment, readPayLinkState, requirePayLink } from './pay-link/make-pay-link.ts'
import { deleteOldPayLinks } from './pay-link/pay-link-store.ts'
import { submitPayment } from './payment/submit-payment.ts'
import { type PurchaseDeps } from './purchase/purchase-deps.ts'
import { reconcileEndedOf, reconcileOpenCasesOf } from './reconciliation/reconciliation-store.ts'
import { REQUESTED_PAUSE_SECONDS } from './reconciliation/schedule.ts'
import { purchaseReply, transactionDetails } from './reply/purchase-reply.ts'
import { readPurchase, readPurchases, readUnmatched, replyContext } from './reply/read-purchases.ts'
import { type OrderedItem } from './reservation/order.ts'
import { type Confirmation, confirmPurchase } from './settlement/confirm-purchase.ts'

/**
 * Buying, from the hold to the delivered tokens, and the cases of unmatched payments.
 *
 * @param hashNetwork see `createNetworkHash`
 */
export function purchaseRoutes(api: Api, deps: PurchaseDeps, hashNetwork: (network: string) => Buffer): void {
  const networkOf = ({ ip }: FastifyRequest) => ({ hash: hashNetwork(normalizeIP(ip)), mostItems: deps.settings.networkHolds })
  const replyTo = async ({ purchase, settled }: Confirmation, status: (code: number) => void) => {
    status(settled ? 200 : 202)
    return { purchase: purchaseReply(purchase, await replyContext(deps)) }
  }

  api.player('offer', 'buy', async ({ body: { items, maxLamports, checkout }, player }) => {
    const mostLamports = maxLamports === undefined ? undefined : BigInt(maxLamports)
    return { offer: await makeOffer(deps, { buyer: player, items: items.map(readItem), mostLamports, checkout: readCheckout(checkout) }) }
  })

  api.player('pay', 'buy', async ({ body: { items, reference, transaction, checkout }, player, status }) => {
    const address = parseWalletAddress(reference)
    if (!address) throw new Failure('PAYMENT_REFUSED', { detail: 'its reference is not an address.' })
    const named = { reference: address, transaction, checkout: readCheckout(checkout) }
    const submission = { buyer: player, items: items.map(readItem), ...named }
    const { purchaseId, signature, isNew } = await reservePayment(deps, submission)
    status(isNew ? 201 : 200)
    return { purchaseId, signature }
  })

  api.open('unmatched', 'read', ({ query }) => readUnmatched(deps.database, query))

  api.player('myPurchase', 'read', async ({ params, player }) => {
    const purchase = await readPurchase(deps, params.id)
    const isParty = purchase.buyer === player || purchase.items.some(({ seller }) => seller === player)
    if (!isParty) throw new Failure('PURCHASE_NOT_FOUND')
    return { purchase }
  })

  api.player('buy', 'buy', async ({ params, body, player, request }) => {
    const items = [{ listingId: params.id }]
    const order = { buyer: player, items, paysTransfers: body?.transfers ?? false, network: networkOf(request) }
    const hold = await placeHold(deps, order).catch(throwWithoutListing)
    return { transactionDetails: transactionDetails(hold, deps.catalogue) }
  })

  api.player('purchase', 'buy', async ({ body, player, request }) => {
    const { items, maxLamports, transfers: paysTransfers = false, checkout } = body
    const mostLamports = maxLamports === undefined ? undefined : BigInt(maxLamports)
    const terms = { paysTransfers, mostLamports, checkout: readCheckout(checkout) }
    const order = { buyer: player, items: items.map(readItem), ...terms, network: networkOf(request) }
    const hold = await placeHold(deps, order)
    return { transactionDetails: transactionDetails(hold, deps.catalogue) }
  })

  api.player('submitPayment', 'buy', async ({ params, body, player }) => ({
    signature: await submitPayment(deps, player, params.id, body.transaction),
  }))

  api.player('cancelPurchase', 'buy', async ({ params, player }) => {
    await cancelHold(deps, player, params.id)
    return { purchase: await readPurchase(deps, params.id) }
  })

  api.player('confirmPurchase', 'buy', async ({ body, player, status, count }) => {
    const admit = () => count('chain-lookup')
    return replyTo(await confirmPurchase(deps, player, { listingId: body.listingId }, body.transactionSignature, admit), status)
  })

  api.player('confirmPayment', 'buy', async ({ params, body, player, status, count }) => {
    const admit = () => count('chain-lookup')
    return replyTo(await confirmPurchase(deps, player, { purchaseId: params.id }, body.transactionSignature, admit), status)
  })

  api.player('myPurchases', 'read', async ({ query, player }) => {
    await reconcileEndedOf(deps.database, player, REQUESTED_PAUSE_SECONDS)
    return readPurchases(deps, { ...query, wallet: player })
  })

  api.player('cases', 'read', async ({ query: { cursor, limit = LISTINGS_PAGE }, player }) => {
    await reconcileOpenCasesOf(deps.database, player, REQUESTED_PAUSE_SECONDS)
    return listCases(deps, { wallet: player, limit, cursor })
  })

  api.player('prepareRefund', 'buy', async ({ params, body, player }) => ({
    refundDetails: await prepareRefund(deps, player, params.id, body ?? {}),
  }))

  api.player('submitRefund', 'buy', async ({ params, body, player }) => ({
    signature: await submitRefund(deps, player, params.id, body.transaction),
  }))
}

/** For a caller who asked about one listing. */
function throwWithoutListing(error: unknown): never {
  if (!(error instanceof Failure) || error.listingId === undefined) throw error
  const { code, detail, retryAfter } = error
  throw new Failure(code, { ...(detail !== undefined && { detail }), ...(retryAfter !== undefined && { retryAfter }) })
}

/** @throws AMOUNT_INVALID */
function readItem({ listingId, amount }: OrderedItem): OrderedItem {
  return { listingId, amount: amount === undefined ? undefined : requireTokenAmount(amount, { listingId }) }
}

/** @throws CHECKOUT_NOT_FOUND */
function readCheckout(checkout: string | undefined): string | undefined {
  return checkout === undefined ? undefined : requirePublicId(checkout)
}

interface PayLinkOptions {
  /** The https address at which phones reach the market; undefined if they do not. */
  publicOrigin: string | undefined
  /** See `createNetworkHash`. */
  hashNetwork: (network: string) => Buffer
  authenticate: (request: FastifyRequest) => Promise<Session>
}

/** Links through which a wallet on a phone buys. */
function payLinkRoutes(api: Api, deps: PurchaseDeps, { publicOrigin, hashNetwork, authenticate }: PayLinkOptions): void {
  api.open('payLink', 'write', async ({ params, request }) => {
    const session = request.headers.authorization === undefined ? undefined : await authenticate(request)
    return makePayLink(deps, publicOrigin, params.id, { network: hashNetwork(normalizeIP(request.ip)), wallet: session?.player })
  })

  api.open('payLinkState', 'read', async ({ params }) => readPayLinkState(deps.database, params.id))
}

interface PayLinkNeeds extends Omit<PayLinkOptions, 'publicOrigin'> {
  purchases: PurchaseDeps
  config: Config
  /** Who asks for the payment, and the address of a picture. */
  payee: { label: string; icon: string }
}

/** A wallet on a phone pays for what another screen shows. */
export const payLinks: Extra<PayLinkNeeds> = {
  calls: (api, { purchases, config, hashNetwork, authenticate }) =>
    payLinkRoutes(api, purchases, { publicOrigin: phoneOrigin(config), hashNetwork, authenticate }),
  pages: (fastify, limits, { purchases, payee }) =>
    registerPaymentRequests(fastify, limits['pay-link'], {
      describe: (token) => requirePayLink(purchases.database, token).then(() => payee),
      prepare: (token, account) => preparePayment(purchases, token, account),
    }),
  jobs: ({ purchases: { database } }) => [purging('payment links', 'old payment links', () => deleteOldPayLinks(database))],
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The CORS rules for this route. */
    cors?: FastifyCorsOptions
  }
}

/** The replies to wallets that open a payment link. */
interface PaymentRequests {
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
async function registerPaymentRequests(fastify: FastifyInstance, limit: LimitChecks, requests: PaymentRequests): Promise<void> {
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

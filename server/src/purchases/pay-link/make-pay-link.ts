import { Failure } from '@juicebar/contract/errors'
import { type PayLink, type PayLinkState } from '@juicebar/contract/schemas'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { isId } from '@juicebar/contract/ids'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { feeOf, transfersOf } from '../purchase/purchase.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { readFacts } from '../reservation/facts-store.ts'
import { refusalFailure } from '../reservation/order.ts'
import { type ListingFacts } from '../reservation/reservation.ts'
import { whyNotForSale } from '../reservation/reservation-decision.ts'
import { isUrlToken, newUrlToken } from '../../runtime/url-token.ts'
import { hashOfToken, type PayLinkMaker, payLinkUrl, paymentMessage, payLinkState } from './pay-link.ts'
import { insertPayLink, lockLinkRoom, checkPayLink, listFormerHolds, type PayLinkOrder, findPayLinkProgress } from './pay-link-store.ts'
import { cannotSign, mayHaveSigner } from '../../chain/transactions/keys.ts'
import { buildPayment } from '../../chain/transactions/signed-transaction.ts'
import { type HoldOrder } from '../hold/hold.ts'
import { placeHold } from '../hold/place-hold.ts'
import { reconcileNow } from '../purchase/purchase-store.ts'
import { type Database } from '../../database/connect.ts'

type MakeDeps = Pick<PurchaseDeps, 'catalogue'>

/**
 * Makes a link through which one wallet on a phone can buy a listing.
 *
 * @param publicOrigin the https address at which phones reach this market; undefined if they cannot
 * @throws WALLET_SENDS_OFF, PUBLIC_ORIGIN_NEEDED, PAUSED, BLOCKED, LISTING_NOT_FOUND, LISTING_NOT_ACTIVE, LISTING_HELD, LISTING_FROZEN, COOLDOWN,
 * PAY_LINK_LIMIT
 */
export async function makePayLink(
  deps: MakeDeps & Pick<PurchaseDeps, 'database' | 'settings'>,
  publicOrigin: string | undefined,
  listingId: string,
  maker: PayLinkMaker,
): Promise<PayLink> {
  const { database, settings, catalogue } = deps
  if (settings.walletSends === 'off') throw new Failure('WALLET_SENDS_OFF')
  if (publicOrigin === undefined) throw new Failure('PUBLIC_ORIGIN_NEEDED')
  if (!isId(listingId)) throw new Failure('LISTING_NOT_FOUND')
  const token = newUrlToken()
  const { listing, made, mostLamports } = await inTransaction(database, async (tx) => {
    const listing = await requireForSale(tx, deps, listingId, maker)
    const refusal = await lockLinkRoom(tx, listing.id, maker)
    if (refusal) throw refusalFailure(refusal, catalogue)
    const mostLamports = listing.lamports + feeOf([listing], settings.fee, undefined)
    const made = await insertPayLink(tx, {
      listingId: listing.id,
      amount: listing.amount,
      mostLamports,
      tokenHash: hashOfToken(token),
      maker,
    })
    return { listing, made, mostLamports }
  })
  const { id, expiresAt, millisLeft } = made
  const url = payLinkUrl(publicOrigin, token)
  return { id, url, amount: listing.amount, lamports: mostLamports.toString(), expiresAt: expiresAt.toISOString(), millisLeft }
}

/** The listing, or the one that it was merged into, which somebody may buy whole. */
async function requireForSale(tx: Tx, deps: MakeDeps, listingId: string, maker: PayLinkMaker): Promise<ListingFacts> {
  const facts = await readFacts(tx, maker.wallet, [listingId])
  const listing = facts.listings.get(listingId)
  if (listing?.status === 'merged' && listing.partOf !== null) return requireForSale(tx, deps, listing.partOf, maker)
  const code = whyNotForSale(listing, undefined, undefined)
  const refusal = facts.restriction ?? (code && { code })
  if (refusal) throw refusalFailure(refusal, deps.catalogue)
  if (!listing) throw new Failure('LISTING_NOT_FOUND')
  return listing
}

/** More than anyone sends for one purchase. */
const NEWEST = 10

/** The reply to a wallet that asks through a link, as Solana Pay specifies it. */
export interface PreparedPayment {
  /** The unsigned transaction in base64. The wallet may replace its fee payer and its blockhash. */
  transaction: string
  message: string
}

/**
 * Holds the link's listing and prepares its payment by an account. The wallet signs and sends the payment itself, and reconciliation finds
 * it by its reference. Asking again with the same account returns a payment of the same purchase, until the chain shows one.
 *
 * @throws the codes of `PayLinkRefusalCode` and `Refusal`, WALLET_ADDRESS_INVALID, WALLET_CANNOT_SIGN, FEE_WALLET_EMPTY, CHAIN_BUSY or
 * CHAIN_DOWN
 */
export async function preparePayment(deps: PurchaseDeps, token: string, account: string): Promise<PreparedPayment> {
  if (!isUrlToken(token)) throw new Failure('PAY_LINK_NOT_FOUND')
  const buyer = parseWalletAddress(account)
  if (!buyer) throw new Failure('WALLET_ADDRESS_INVALID')
  if (!mayHaveSigner(buyer)) throw cannotSign(buyer)
  const checked = await checkPayLink(deps.database, hashOfToken(token), buyer)
  if ('refusal' in checked) throw refusalFailure(checked.refusal, deps.catalogue)
  const { id: payLink, listingId, amount, mostLamports, isHeld } = checked.link
  if (!isHeld) await requireUnpaid(deps, checked.link, buyer)
  const items = [{ listingId, amount: Number(amount) }]
  // This comes before the hold, so that nothing is held that the wallet cannot pay for because the chain does not answer.
  const lifetime = await deps.chain.latestBlockhash()
  const order: HoldOrder = { buyer, items, paysTransfers: true, mostLamports, payLink }
  const held = await placeHold(deps, order).catch(throwWithoutReason)
  const { reference } = held
  if (isHeld && (await hasLanded(deps, reference))) throw new Failure('PAYMENT_UNDER_WAY')
  return {
    transaction: buildPayment({ version: 'legacy', from: buyer, transfers: transfersOf(held), reference, ...lifetime }),
    message: paymentMessage(held, deps.catalogue),
  }
}

/** Why a wallet is blocked concerns its owner, and whoever asks has not proved to be that. */
function throwWithoutReason(error: unknown): never {
  if (error instanceof Failure && error.code === 'BLOCKED')
    throw new Failure('BLOCKED', { detail: 'its owner reads the reason in the market.' })
  throw error
}

/**
 * A payment may have landed after its hold had ended, which nobody has found out yet: it is looked for now, and no second one is prepared.
 * @throws PAYMENT_UNDER_WAY
 */
async function requireUnpaid(deps: PurchaseDeps, link: PayLinkOrder, account: WalletAddress): Promise<void> {
  for (const { id, reference } of await listFormerHolds(deps.database, link, account)) {
    if (!(await hasLanded(deps, reference))) continue
    await reconcileNow(deps.database, id)
    throw new Failure('PAYMENT_UNDER_WAY')
  }
}

/** Whether the chain shows a payment that carries a reference. Until it settles the purchase, a second one would only become a case. */
async function hasLanded({ chain }: PurchaseDeps, reference: WalletAddress): Promise<boolean> {
  return (await chain.recentSignatures(reference, 0n, NEWEST)).some(({ failed }) => !failed)
}

/**
 * The progress of the purchase through a link, for the link's maker.
 *
 * @throws PAY_LINK_NOT_FOUND
 */
export async function readPayLinkState(database: Database, id: string): Promise<PayLinkState> {
  const progress = isId(id) ? await findPayLinkProgress(database, { id }) : undefined
  if (!progress) throw new Failure('PAY_LINK_NOT_FOUND')
  return payLinkState(progress)
}

/**
 * Returns if the link can still be paid through.
 *
 * @throws PAY_LINK_NOT_FOUND, PAY_LINK_EXPIRED, PAY_LINK_PAID
 */
export async function requirePayLink(database: Database, token: string): Promise<void> {
  const progress = isUrlToken(token) ? await findPayLinkProgress(database, { tokenHash: hashOfToken(token) }) : undefined
  if (!progress) throw new Failure('PAY_LINK_NOT_FOUND')
  if (progress.isPaid) throw new Failure('PAY_LINK_PAID')
  if (progress.millisLeft === 0) throw new Failure('PAY_LINK_EXPIRED')
}

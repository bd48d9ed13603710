import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { mayHaveSigner } from '../../chain/transactions/signing-key.ts'
import { unsignedPayment } from '../../chain/transactions/unsigned-payment.ts'
import { type HoldOrder } from '../hold/hold.ts'
import { placeHold } from '../hold/place-hold.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { transfersOf } from '../purchase-item.ts'
import { reconcileNow } from '../purchase-store.ts'
import { refusalFailure } from '../reservation/refusal.ts'
import { hashOfToken, isToken, paymentMessage } from './pay-link.ts'
import { checkPayLink, listFormerHolds, type PayLinkOrder } from './pay-link-store.ts'

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
  if (!isToken(token)) throw new Failure('PAY_LINK_NOT_FOUND')
  const buyer = parseWalletAddress(account)
  if (!buyer) throw new Failure('WALLET_ADDRESS_INVALID')
  if (!mayHaveSigner(buyer)) throw new Failure('WALLET_CANNOT_SIGN')
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
    transaction: unsignedPayment({ from: buyer, transfers: transfersOf(held), reference, lifetime }),
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

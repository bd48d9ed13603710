import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { BLOCKHASH_BLOCKS, type Chain, type SimulationOptions } from '../../chain/chain.ts'
import { type DecodedTransaction } from '../../chain/transactions/signed-transaction.ts'
import { decodePayment, refused } from './signed-payment.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { purchaseFields } from '../purchase/purchase-wait.ts'
import { type PaymentRow, findPayment, findRecordedPayment, insertPayment } from './payment-store.ts'
import { inTransaction } from '../../database/transact.ts'
import { emitPurchase, findPurchase, lockPurchase, type PurchaseRow, reconcileNow } from '../purchase/purchase-store.ts'
import { expectedPaymentOf } from './payment-terms.ts'
import { isId } from '@juicebar/contract/ids'

/** Signed transaction bytes that do what they should and could land now. Nothing has been sent yet. */
export interface CheckedPayment {
  signature: Signature
  bytes: Uint8Array
  /** Above this block height they can no longer land. */
  expiryHeight: bigint
}

/**
 * Asks the chain whether the bytes could land now, once everybody has signed.
 * @throws PAYMENT_REFUSED or CHAIN_DOWN
 */
export async function checkOnChain(
  chain: Chain,
  { signature, bytes }: Pick<DecodedTransaction, 'signature' | 'bytes'>,
  options?: SimulationOptions,
): Promise<CheckedPayment> {
  const simulation = await chain.simulate(bytes, options)
  switch (simulation.kind) {
    case 'expired':
      throw options?.awaitsCoSigner === undefined
        ? refused('it was signed too long ago. Please try again.')
        : new Failure('PAYMENT_EXPIRED')
    case 'fails':
      throw refused(`the network would refuse it (${simulation.reason}).`)
    case 'valid':
      // The bank that simulated it knew its blockhash, so the blockhash is no newer than that slot.
      return { signature, bytes, expiryHeight: await chain.expiryHeight(simulation.slot) }
  }
}

/**
 * The height above which nothing can land that a wallet signs soon. It may insert a newer blockhash when its owner finally approves, so it
 * has the time of two.
 * @throws CHAIN_DOWN
 */
export async function expiryHeightNow(chain: Chain): Promise<bigint> {
  return (await chain.expiryHeight(await chain.highestSlot())) + BLOCKHASH_BLOCKS
}

/**
 * Broadcasts recorded transaction bytes on the chain they were made for. Never fails: reconciliation broadcasts them again until they
 * land or expire, and only the chain's own answers show whether they did.
 */
export async function broadcastPayment(
  { chain, failures }: PurchaseDeps,
  purchase: { id: string | null; buyer: string },
  payment: Pick<PaymentRow, 'signature' | 'kind' | 'transactionBytes' | 'genesisHash'>,
): Promise<void> {
  const { signature, kind, transactionBytes, genesisHash } = payment
  try {
    if (genesisHash === (await chain.genesisHash())) await chain.broadcast(transactionBytes)
  } catch (error) {
    const wait = { waitingFor: kind === 'refund' ? 'its refund to land on the chain' : 'its payment to land on the chain' }
    failures.failed(
      error,
      { ...purchaseFields(purchase, wait), transaction: signature },
      'broadcasting a transaction failed; it will be sent again',
    )
  }
}

/**
 * Records the buyer's signed payment and only then broadcasts it; reconciliation broadcasts it again until it lands or expires.
 * The same bytes get the same answer again.
 * @throws PURCHASE_NOT_FOUND, PAYMENT_REFUSED, HOLD_ENDED, PAYMENT_DIFFERS or CHAIN_DOWN, if nothing was sent.
 */
export async function submitPayment(deps: PurchaseDeps, buyer: WalletAddress, id: string, base64: string): Promise<Signature> {
  const { database, chain } = deps
  const purchase = isId(id) ? await findPurchase(database, id) : undefined
  if (purchase?.buyer !== buyer) throw new Failure('PURCHASE_NOT_FOUND')
  const transaction = decodePayment(base64, expectedPaymentOf(purchase))
  let payment = await findPayment(database, transaction.signature)
  if (!payment) {
    if (purchase.status !== 'held') throw new Failure('HOLD_ENDED')
    payment = await recordPayment(deps, purchase, await checkOnChain(chain, transaction))
  }
  if (payment.status === 'recorded') await broadcastPayment(deps, purchase, payment)
  return payment.signature
}

async function recordPayment({ database, chain }: PurchaseDeps, purchase: PurchaseRow, payment: CheckedPayment): Promise<PaymentRow> {
  const { signature, bytes, expiryHeight } = payment
  const { id: purchaseId } = purchase
  const genesisHash = await chain.genesisHash()
  return inTransaction(database, async (tx) => {
    const hold = await lockPurchase(tx, purchaseId)
    const known = await findPayment(tx, signature)
    if (known) return known
    if (await findRecordedPayment(tx, purchaseId)) throw new Failure('PAYMENT_DIFFERS')
    if (hold?.status !== 'held' || hold.windowClosed || hold.cancelRequested) throw new Failure('HOLD_ENDED')
    if (hold.genesisHash !== genesisHash) throw new Failure('HOLD_ENDED')
    const transactionBytes = Buffer.from(bytes)
    const row = { signature, purchaseId, genesisHash, transactionBytes, expiryHeight, kind: 'purchase', status: 'recorded' } as const
    const recorded = await insertPayment(tx, row)
    await reconcileNow(tx, purchaseId)
    await emitPurchase(tx, purchaseId)
    return recorded
  })
}

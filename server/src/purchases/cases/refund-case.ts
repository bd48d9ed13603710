import { setTimeout as sleep } from 'node:timers/promises'
import { type WalletAddress, type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports, lamportsToSol } from '@juicebar/contract/money'
import { type Database } from '../../database/connect.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { findPurchase, lockPurchase } from '../purchase/purchase-store.ts'
import { type CaseSubject, isMentioned, isRefundable, MENTIONS } from './case.ts'
import { type CaseRow, findCase, expectRefund, findReplaceable, lockCase, moveCase } from './case-store.ts'
import { findLostPurchase } from './unmatched-store.ts'
import { hashMessage, withSignature } from '../../chain/transactions/message.ts'
import { type DecodedTransaction, buildPayment } from '../../chain/transactions/signed-transaction.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { decodePayment } from '../payment/signed-payment.ts'
import { broadcastPayment, type CheckedPayment, checkOnChain, expiryHeightNow } from '../payment/submit-payment.ts'
import { findPaymentByMessage, insertPayment, type PaymentRow, findPayment } from '../payment/payment-store.ts'
import { listSeenRefunds } from './seen-refund-store.ts'
import { type SignatureStatus } from '../../chain/chain.ts'
import { clock, readFinality } from '../purchase/wait-for-endpoints.ts'
import { isId } from '@juicebar/contract/ids'

/** A case that a seller asks about, and what it is about. */
export interface SellersCase {
  row: CaseRow
  subject: CaseSubject
}

/** What a case is about. @throws Error if the database contradicts itself */
export async function requireSubject(database: Database, { id, purchaseId }: Pick<CaseRow, 'id' | 'purchaseId'>): Promise<CaseSubject> {
  const subject = purchaseId === null ? await findLostPurchase(database, id) : await findPurchase(database, purchaseId)
  if (!subject) throw new Error(`case ${id} has no purchase`)
  return subject
}

/**
 * A case as its seller finds it, in whatever state it is.
 * @throws CASE_NOT_FOUND or NOT_YOUR_REFUND
 */
async function requireCase({ database }: Pick<PurchaseDeps, 'database'>, seller: WalletAddress, caseId: string): Promise<SellersCase> {
  const row = isId(caseId) ? await findCase(database, caseId) : undefined
  if (!row) throw new Failure('CASE_NOT_FOUND')
  const subject = await requireSubject(database, row)
  if (subject.buyer === seller) throw new Failure('NOT_YOUR_REFUND')
  if (row.seller !== seller) throw new Failure('CASE_NOT_FOUND')
  return { row, subject }
}

/** @throws CASE_NOT_OPEN if its seller may not refund this case now */
function requireOpen(row: CaseRow | undefined): asserts row is CaseRow {
  if (!row || !isRefundable(row)) throw new Failure('CASE_NOT_OPEN')
}

/** A refund that its seller has signed, that is exactly what was prepared, and that only the market can complete. */
export interface SignedRefund {
  seller: WalletAddress
  reference: WalletAddress
  transaction: DecodedTransaction
  /** The key of the market that signs it. */
  coSigner: string
}

/** A refund that was recorded, by this call or an earlier one. */
interface Reserved {
  refund: PaymentRow
  isNew: boolean
}

/**
 * Reserves a refund, completes its bytes with the market's signature, and sends them. The reservation is made under the lock of the purchase
 * under which deliveries are made too, and only where this payment was not delivered; from then on it is not. The same message again gets the
 * same answer.
 *
 * @throws CO_SIGN_OFF, CASE_NOT_OPEN, PAYMENT_REFUSED, PAYMENT_EXPIRED, CHAIN_BUSY or CHAIN_DOWN if nothing was sent; DATABASE_DOWN: submit
 * the same bytes again
 */
async function reserveRefund(deps: PurchaseDeps, { row, subject }: SellersCase, signed: SignedRefund): Promise<Signature> {
  const { database, chain, settings } = deps
  const messageHash = hashMessage(signed.transaction.bytes)
  const known = await findPaymentByMessage(database, messageHash)
  // Whether its commit was confirmed is not known here: reconciliation sends it.
  if (known) return known.signature
  if (!settings.coSign) throw new Failure('CO_SIGN_OFF')
  requireOpen(row)
  // One that the seller's wallet has sent by itself may have landed before its case has heard of it.
  const mentions = await chain.recentSignatures(signed.reference, 0n, MENTIONS, { everywhere: true })
  if (isMentioned(mentions)) throw new Failure('CASE_NOT_OPEN')
  const checked = await checkOnChain(chain, signed.transaction, { awaitsCoSigner: signed.seller })
  const genesisHash = await chain.genesisHash()
  if (subject.genesisHash !== genesisHash) throw new Failure('CASE_NOT_OPEN')
  const { refund, isNew } = await inTransaction(database, (tx) =>
    reserve(deps, tx, { row, subject }, { ...signed, checked, genesisHash, messageHash }),
  )
  if (isNew) await broadcastPayment(deps, subject, refund)
  return refund.signature
}

type CheckedRefund = SignedRefund & { checked: CheckedPayment; genesisHash: string; messageHash: Buffer }

/** The co-signature is made here, inside the transaction. The bytes that have it leave this process only after the commit. */
async function reserve(
  { coSigners }: PurchaseDeps,
  tx: Tx,
  { row, subject: { id: purchaseId } }: SellersCase,
  { transaction, coSigner, checked, genesisHash, messageHash, reference }: CheckedRefund,
): Promise<Reserved> {
  const purchase = purchaseId === null ? undefined : await lockPurchase(tx, purchaseId)
  const locked = await lockCase(tx, row.id)
  const known = await findPaymentByMessage(tx, messageHash)
  if (known) return { refund: known, isNew: false }
  await requireUndelivered(tx, locked, purchase)
  const { signature, bytes, expiryHeight } = checked
  const complete = withSignature(bytes, coSigner, coSigners.sign(coSigner, transaction.message))
  const landing = { signature, genesisHash, messageHash, transactionBytes: Buffer.from(complete), expiryHeight }
  const refund = await insertPayment(tx, { ...landing, purchaseId, caseId: row.id, kind: 'refund', status: 'recorded' })
  // The co-signature fits every signature that the seller makes of this message: should this one expire, the chain is searched for others.
  await expectRefund(tx, row.id, reference, { expiryHeight, reconcileSeconds: 0 })
  await moveCase(tx, row.id, { status: 'refunding', reconcileSeconds: 0 })
  return { refund, isNew: true }
}

/** @throws CASE_NOT_OPEN if the payment of a case was delivered, or was or may yet be paid back in another way */
async function requireUndelivered(
  tx: Tx,
  locked: CaseRow | undefined,
  purchase: { signature: Signature | null } | undefined,
): Promise<void> {
  requireOpen(locked)
  const isDelivered = purchase?.signature === locked.signature
  requireNoneUnderWay(locked)
  if (isDelivered || (await listSeenRefunds(tx, locked.id)).length > 0) throw new Failure('CASE_NOT_OPEN')
}

/** @throws CASE_NOT_OPEN while a refund that the seller's wallet may have sent by itself can still land */
function requireNoneUnderWay({ refundExpiryHeight }: CaseRow): void {
  if (refundExpiryHeight !== null) throw new Failure('CASE_NOT_OPEN')
}

const FIRST_SEARCH_SECONDS = 2

/**
 * Prepares the seller's refund of a case: an unsigned transaction with a reference of its own. Asking again returns the same
 * reference with a fresh blockhash. A refund that the market does not sign may land from now on, even sent by the seller's wallet alone, so
 * the listing is not delivered until the chain has proved that the refund can't land. One that it signs changes nothing yet.
 * @throws CASE_NOT_FOUND, NOT_YOUR_REFUND, CASE_NOT_OPEN, PAYMENT_NOT_FINAL, CO_SIGN_OFF or CHAIN_DOWN
 */
export async function prepareRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string, { coSigned = false } = {}) {
  if (coSigned && !deps.settings.coSign) throw new Failure('CO_SIGN_OFF')
  const { row, subject } = await requireCase(deps, seller, caseId)
  requireOpen(row)
  if (subject.genesisHash !== (await deps.chain.genesisHash())) throw new Failure('CASE_NOT_OPEN')
  await untilFinal(deps, row)
  const { blockhash, lastValidBlockHeight } = await deps.chain.latestBlockhash()
  const expiryHeight = coSigned ? undefined : await expiryHeightNow(deps.chain)
  const { reference, lamports } = await expect(deps, { row, subject }, seller, expiryHeight)
  const { buyer } = subject
  const coSigner = coSigned ? deps.coSigners.refund : undefined
  const transaction = buildPayment({
    version: 0,
    from: seller,
    transfers: [{ to: buyer, lamports }],
    reference,
    ...(coSigner !== undefined && { coSigner }),
    blockhash,
    lastValidBlockHeight,
  })
  const terms = { buyer, price: lamportsToSol(lamports), lamports: lamports.toString() }
  return { caseId, ...terms, reference, coSigner: coSigner ?? null, transaction }
}

/** How long a refund waits for its payment, which is usually final 13 seconds after it landed. Clients wait for 15 seconds. */
const FINAL_WAIT_SECONDS = 10
const FINAL_POLL_MILLIS = 500
const FINAL_RETRY_SECONDS = 5

/**
 * Waits until the chain can no longer drop the payment of a case: its seller would pay for nothing. Nor the one that settled its
 * purchase, which this one would replace.
 * @throws PAYMENT_NOT_FINAL, CHAIN_BUSY or CHAIN_DOWN
 */
async function untilFinal(deps: PurchaseDeps, row: CaseRow): Promise<void> {
  const deadline = clock.now() + FINAL_WAIT_SECONDS * 1_000
  while (!(await isFinal(deps, row))) {
    if (clock.now() >= deadline) throw new Failure('PAYMENT_NOT_FINAL', { retryAfter: FINAL_RETRY_SECONDS })
    await sleep(FINAL_POLL_MILLIS)
  }
}

async function isFinal({ chain, database }: PurchaseDeps, { signature, paymentFinal, kind, purchaseId }: CaseRow): Promise<boolean> {
  if (!paymentFinal && !isFinalized(await readFinality(chain, signature, { isPayment: true }))) return false
  const replaceable = purchaseId === null || kind === 'wrong' ? undefined : await findReplaceable(database, purchaseId)
  return replaceable === undefined || isFinalized((await chain.finality([replaceable])).get(replaceable))
}

function isFinalized(status: SignatureStatus | undefined): boolean {
  return status?.commitment === 'finalized' && !status.failed
}

/**
 * Notes what was prepared.
 * @param expiryHeight above which a refund that the seller's wallet may send by itself can no longer land
 * @returns the reference that counts, and what is to be paid back: from now on nothing more adds up in the case
 */
async function expect(
  { database, references }: PurchaseDeps,
  { row, subject }: SellersCase,
  seller: WalletAddress,
  expiryHeight: bigint | undefined,
): Promise<{ reference: WalletAddress; lamports: Lamports }> {
  return inTransaction(database, async (tx) => {
    if (subject.id !== null) await lockPurchase(tx, subject.id)
    const locked = await lockCase(tx, row.id)
    requireOpen(locked)
    const { lamports } = locked
    const reference = references.make('refund', seller)
    if (expiryHeight === undefined) {
      requireNoneUnderWay(locked)
      return { lamports, reference: await expectRefund(tx, row.id, reference) }
    }
    return { lamports, reference: await expectRefund(tx, row.id, reference, { expiryHeight, reconcileSeconds: FIRST_SEARCH_SECONDS }) }
  })
}

/**
 * Records the seller's signed refund and then broadcasts it; from then on the listing of this case can't be delivered any more. The
 * same bytes get the same answer again.
 * @throws what `prepareRefund` and `reserveRefund` throw, PAYMENT_REFUSED or PAYMENT_DIFFERS
 */
export async function submitRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string, base64: string): Promise<Signature> {
  const { coSigners } = deps
  const { row, subject } = await requireCase(deps, seller, caseId)
  const { lamports, refundReference: reference } = row
  if (reference === null) throw new Failure('PAYMENT_REFUSED', { detail: 'prepare the refund first.' })
  const expected = { from: seller, transfers: [{ to: subject.buyer, lamports }], reference }
  const keys = [coSigners.refund, ...coSigners.formerRefunds]
  const transaction = decodePayment(base64, expected, keys)
  const coSigner = keys.find((key) => transaction.signers.includes(key))
  if (coSigner !== undefined) return reserveRefund(deps, { row, subject }, { seller, reference, transaction, coSigner })
  let refund = await findPayment(deps.database, transaction.signature)
  if (!refund) {
    requireOpen(row)
    const checked = await checkOnChain(deps.chain, transaction)
    if (subject.genesisHash !== (await deps.chain.genesisHash())) throw new Failure('CASE_NOT_OPEN')
    refund = await recordRefund(deps, { row, subject }, checked)
    if (!refund) throw new Failure('CASE_NOT_OPEN')
  }
  if (refund.status === 'recorded') await broadcastPayment(deps, subject, refund)
  return refund.signature
}

/**
 * Records a refund that the market does not sign and that may land, or has landed at a slot.
 * @returns what is recorded of its transaction; undefined if nothing is, and the case is not open
 */
export async function recordRefund(
  { database }: PurchaseDeps,
  { row, subject }: SellersCase,
  { signature, bytes, expiryHeight, slot = null }: CheckedPayment & { slot?: bigint | null },
): Promise<PaymentRow | undefined> {
  return inTransaction(database, async (tx) => {
    if (subject.id !== null) await lockPurchase(tx, subject.id)
    const locked = await lockCase(tx, row.id)
    const known = await findPayment(tx, signature)
    if (known || !locked || !isRefundable(locked)) return known
    const landing = { signature, genesisHash: subject.genesisHash, transactionBytes: Buffer.from(bytes), expiryHeight, slot }
    const owner = { purchaseId: subject.id, caseId: row.id, kind: 'refund', status: 'recorded' } as const
    const recorded = await insertPayment(tx, { ...landing, ...owner })
    await moveCase(tx, row.id, { status: 'refunding', reconcileSeconds: 0 })
    return recorded
  })
}

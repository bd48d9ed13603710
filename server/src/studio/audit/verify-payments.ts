import { Failure } from '@juicebar/contract/errors'
import { verifyPayment, ambiguousReferences } from '../../purchases/payment/landed-payment.ts'
import { termsOf } from '../../purchases/payment/payment-terms.ts'
import { findReferences } from '../../purchases/payment/reference-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { delay } from '../../runtime/repeat.ts'
import { type PaymentFinding } from './audit.ts'
import { type SettledPurchase } from './audit-store.ts'

/** How long an audit waits for a chain that does not answer, and for one whose budget is used by others. */
export interface Patience {
  downMillis: number
  busyMillis: number
}

export const PATIENCE: Patience = { downMillis: 2 * 60_000, busyMillis: 60 * 60_000 }

const CONCURRENCY = 16
const RETRY_MILLIS = 1_000
/** How often a payment is requested that the chain does not return while it returns others. */
const TRIES = 20

/** The chain answered nothing for longer than an audit waits. */
export class ChainSilent extends Error {}

interface Reading {
  patience: Patience
  signal: AbortSignal
}

/**
 * Reads the payments of settled purchases from the chain and verifies them by the rules that settled them. It uses only the chain budget
 * that purchases leave, and repeats requests until they are answered.
 *
 * @returns a finding for each purchase; undefined if the signal aborted.
 * @throws ChainSilent
 */
export async function verifyPayments(
  deps: PurchaseDeps,
  purchases: readonly SettledPurchase[],
  { patience, signal }: Reading,
): Promise<PaymentFinding[] | undefined> {
  const findings: PaymentFinding[] = []
  const last = { answerAt: performance.now() }
  const left = purchases.entries()
  const verifyRest = async () => {
    for (const [index, purchase] of left) {
      const finding = await verifyUntilAnswered(deps, purchase, last, { patience, signal })
      if (finding) findings[index] = finding
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, verifyRest))
  return signal.aborted ? undefined : findings
}

/** `last` is shared by all payments of a page: whether the chain answers anything at all. */
async function verifyUntilAnswered(
  deps: PurchaseDeps,
  purchase: SettledPurchase,
  last: { answerAt: number },
  { patience, signal }: Reading,
): Promise<PaymentFinding | undefined> {
  const startedAt = performance.now()
  for (let failures = 0; !signal.aborted;) {
    try {
      const finding = await verifySettled(deps, purchase)
      last.answerAt = performance.now()
      return finding
    } catch (error) {
      if (!(error instanceof Failure && (error.code === 'CHAIN_DOWN' || error.code === 'CHAIN_BUSY'))) throw error
      const busy = error.code === 'CHAIN_BUSY'
      if (!busy) failures += 1
      if (failures >= TRIES && last.answerAt > startedAt) return unchecked(purchase, error.message)
      if (performance.now() - last.answerAt >= (busy ? patience.busyMillis : patience.downMillis)) throw new ChainSilent(error.message)
      await delay(RETRY_MILLIS, signal)
    }
  }
  return undefined
}

/** @throws CHAIN_DOWN or CHAIN_BUSY */
async function verifySettled({ chain, database }: PurchaseDeps, purchase: SettledPurchase): Promise<PaymentFinding> {
  const { id, signature } = purchase
  if (purchase.genesisHash !== (await chain.genesisHash())) return { kind: 'earlier chain' }
  const transaction = signature === null ? undefined : await chain.transaction(signature, { spare: true })
  if (!transaction) return unchecked(purchase, `its payment ${signature ?? ''} was not found on chain`)
  const knownReferences = await findReferences(database, ambiguousReferences(transaction))
  const verdict = verifyPayment(transaction, termsOf(purchase), knownReferences)
  // Of two complete purchases in one transaction, earlier servers delivered the one that they found first.
  if (verdict.kind === 'pays' || (verdict.kind === 'wrong' && verdict.complete)) return { kind: 'verified' }
  return { kind: 'violation', detail: `purchase ${id}: its payment does not pay for it (${verdict.reason})` }
}

function unchecked({ id }: SettledPurchase, reason: string): PaymentFinding {
  return { kind: 'unchecked', detail: `purchase ${id}: ${reason}` }
}

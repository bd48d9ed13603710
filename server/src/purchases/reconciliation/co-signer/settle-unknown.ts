import { type LandedTransaction } from '../../../chain/chain.ts'
import { inTransaction } from '../../../database/transact.ts'
import { findSellers, insertLostCase } from '../../cases/lost-case-store.ts'
import { findLost, namedAccounts } from '../../cases/lost-payment.ts'
import { paymentKeys } from '../../co-signer.ts'
import { findReferences } from '../../payment/reference-store.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { findPurchase } from '../../purchase-store.ts'
import { candidateOf, verifyCandidate } from '../../settlement/verify-candidate.ts'
import { settlePayment } from '../../settlement/settle-payment.ts'

/**
 * Decides a transaction that a key of the market has signed and that the database does not know: it settles the purchase whose
 * reference it carries, as every signature of its message does, or becomes a case of that purchase. If there is none, the database has lost it, or somebody has the key: then it
 * becomes a case of its buyer and those whom it paid.
 *
 * @returns false if the chain does not show enough of it yet
 * @throws CHAIN_DOWN
 */
export async function settleUnknown(deps: PurchaseDeps, transaction: LandedTransaction): Promise<boolean> {
  const { signature } = transaction
  const status = (await deps.chain.finality([signature])).get(signature)
  if (status?.commitment !== 'finalized') return false
  if (status.failed) return true
  const references = await findReferences(deps.database, namedAccounts(transaction))
  const named = [...references.values()].flatMap((known) => known?.id ?? [])
  const candidate = candidateOf(deps.chain, signature, status)
  let counts = false
  for (const id of named) {
    const purchase = await findPurchase(deps.database, id)
    if (!purchase) continue
    const { kind } = await settlePayment(deps, purchase, await verifyCandidate(deps, purchase, candidate))
    if (kind === 'pending') return false
    counts ||= kind === 'settled' || kind === 'case'
  }
  await openLost(deps, transaction, counts ? new Set(references.keys()) : new Set())
  return true
}

/** Opens cases for what a transaction paid that belongs to none of these references. */
async function openLost(deps: PurchaseDeps, transaction: LandedTransaction, references: ReadonlySet<string>): Promise<void> {
  const { database, settings, log } = deps
  const { signature, slot, instructions, innerInstructions } = transaction
  const landing = { signature, slot, genesisHash: await deps.chain.genesisHash(), coSigned: true }
  const recipients = [...instructions, ...innerInstructions].flatMap(({ transfer }) => transfer?.to ?? [])
  const { lost } = findLost(transaction, {
    references,
    kindOf: deps.references.kindOf,
    feeWallets: new Set(settings.fee.wallet === undefined ? [] : [settings.fee.wallet]),
    sellers: await findSellers(database, recipients),
    coSigners: paymentKeys(deps.coSigners),
  })
  const opened = await inTransaction(database, async (tx) => {
    const cases = []
    for (const payment of lost) cases.push(...(await insertLostCase(tx, landing, payment)))
    return cases
  })
  const why = 'a payment that the market has signed has no purchase: the database has lost it, or somebody else has the key'
  for (const id of opened) log.error({ case: id, kind: 'lost', transaction: signature }, why)
}

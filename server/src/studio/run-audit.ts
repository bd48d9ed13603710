import { type AuditReport } from '@juicebar/contract/schemas'

import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { verifyPayments } from './verify-payments.ts'
import { countPurchases, findViolations, readTokenTotals } from './audit-store.ts'

/**
 * The money audit: derives every balance from the ledger again, checks the invariants I1 to I5, and verifies the payment of
 * every settled purchase on chain. The report lists what could not be checked.
 * @throws DATABASE_DOWN
 */
export async function runAudit(deps: PurchaseDeps): Promise<AuditReport> {
  const { database } = deps
  const [tokens, counts, violations] = await Promise.all([readTokenTotals(database), countPurchases(database), findViolations(database)])
  const payments = await verifyPayments(deps)
  const imbalances = tokens
    .filter((token) => !token.balanced)
    .map((token) => ({ invariant: 'I1', detail: `${token.tokenType}: wallets and listings do not add up to credits less debits` }))
  const all = [...imbalances, ...violations, ...payments.violations]
  return {
    ok: all.length === 0,
    checkedAt: new Date().toISOString(),
    tokens,
    purchases: { ...counts, earlierChain: payments.earlierChain, verifiedOnChain: payments.verified },
    violations: all,
    unchecked: payments.unchecked,
  }
}

import { type AuditReport } from '@juicebar/contract/schemas'

import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { checkPaymentsOnChain } from './audit-payments.ts'
import { countPurchases, findViolations, readTokenTotals } from './audit-store.ts'

/**
 * Re-derives every balance from the ledger, checks the invariants I1 to I5, and every settled purchase's payment against the chain.
 * What could not be checked is named, never passed over. Fails with DATABASE_DOWN only.
 */
export async function audit(deps: PurchaseDeps): Promise<AuditReport> {
  const { database } = deps
  const [tokens, counts, violations] = await Promise.all([readTokenTotals(database), countPurchases(database), findViolations(database)])
  const chain = await checkPaymentsOnChain(deps)
  const imbalances = tokens
    .filter((token) => !token.balanced)
    .map((token) => ({ invariant: 'I1', detail: `${token.tokenType}: wallets and listings do not add up to credits less debits` }))
  const all = [...imbalances, ...violations, ...chain.violations]
  return {
    ok: all.length === 0,
    checkedAt: new Date().toISOString(),
    tokens,
    purchases: { ...counts, earlierChain: chain.earlierChain, verifiedOnChain: chain.verified },
    violations: all,
    unchecked: chain.unchecked,
  }
}

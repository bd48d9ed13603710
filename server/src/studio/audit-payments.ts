import { type AuditReport } from '@juicebar/contract/schemas'

import { type Chain } from '../chain/chain.ts'
import { verifyPayment } from '../purchases/payment/landed-payment.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { pageOfSettled } from './audit-store.ts'

export interface ChainAudit {
  verified: number
  earlierChain: number
  violations: AuditReport['violations']
  unchecked: string[]
}

type SettledPurchase = Awaited<ReturnType<typeof pageOfSettled>>[number]

const PAGE = 100
/** Payments read at the same time: purchases that are under way ask the same endpoints, and must not wait behind an audit. */
const AT_ONCE = 4

/** Reads every settled purchase's payment from the chain and judges it anew, by the rules that settled it. */
export async function checkPaymentsOnChain({ database, chain }: PurchaseDeps): Promise<ChainAudit> {
  const report: ChainAudit = { verified: 0, earlierChain: 0, violations: [], unchecked: [] }
  const genesisHash = await readGenesis(chain, report)
  if (genesisHash === undefined) return report
  let after: string | undefined
  for (;;) {
    const page = await pageOfSettled(database, after, PAGE)
    const left = page.values()
    const checkNext = async () => {
      for (const purchase of left) await checkOne(chain, genesisHash, purchase, report)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, checkNext))
    after = page.at(-1)?.id
    if (page.length < PAGE) return report
  }
}

async function readGenesis(chain: Chain, report: ChainAudit): Promise<string | undefined> {
  try {
    return await chain.genesisHash()
  } catch (error) {
    report.unchecked.push(`payments on the chain: ${error instanceof Error ? error.message : 'no answer'}`)
    return undefined
  }
}

async function checkOne(chain: Chain, genesisHash: string, purchase: SettledPurchase, report: ChainAudit): Promise<void> {
  const { id, signature, buyer, seller, priceLamports, reference, heldAtSlot } = purchase
  if (purchase.genesisHash !== genesisHash) {
    report.earlierChain += 1
    return
  }
  try {
    const transaction = signature === null ? undefined : await chain.transaction(signature)
    if (!transaction) {
      report.unchecked.push(`purchase ${id}: the chain does not show its payment ${signature ?? ''}`)
      return
    }
    const verdict = verifyPayment(transaction, { buyer, seller, lamports: priceLamports, reference, heldAtSlot })
    if (verdict.kind === 'pays') report.verified += 1
    else report.violations.push({ invariant: 'I3', detail: `purchase ${id}: its payment does not pay for it (${verdict.reason})` })
  } catch (error) {
    report.unchecked.push(`purchase ${id}: ${error instanceof Error ? error.message : 'no answer'}`)
  }
}

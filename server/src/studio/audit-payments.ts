import { type AuditReport } from '@juicebar/contract/schemas'

import { type Chain } from '../chain/chain.ts'
import { verifyPayment } from '../purchases/payment/landed-payment.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { type SettledPurchase, readSettledPage } from './audit-store.ts'

export interface PaymentAudit {
  verified: number
  /** Settled on a local chain that no longer exists. */
  earlierChain: number
  violations: AuditReport['violations']
  unchecked: string[]
}

const PAGE = 100
/** An audit shares its RPC endpoints with purchases under way, which must not wait for it. */
const CONCURRENCY = 4

/** Reads the payment of every settled purchase from the chain and verifies it by the rules that settled it. */
export async function auditPayments({ database, chain }: PurchaseDeps): Promise<PaymentAudit> {
  const audit: PaymentAudit = { verified: 0, earlierChain: 0, violations: [], unchecked: [] }
  const genesisHash = await readGenesisHash(chain, audit)
  if (genesisHash === undefined) return audit
  let after: string | undefined
  for (;;) {
    const page = await readSettledPage(database, after, PAGE)
    const left = page.values()
    const worker = async () => {
      for (const purchase of left) await auditPayment(chain, genesisHash, purchase, audit)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    after = page.at(-1)?.id
    if (page.length < PAGE) return audit
  }
}

async function readGenesisHash(chain: Chain, audit: PaymentAudit): Promise<string | undefined> {
  try {
    return await chain.genesisHash()
  } catch (error) {
    audit.unchecked.push(`payments on chain: ${error instanceof Error ? error.message : 'no answer'}`)
    return undefined
  }
}

async function auditPayment(chain: Chain, genesisHash: string, purchase: SettledPurchase, audit: PaymentAudit): Promise<void> {
  const { id, signature, buyer, seller, priceLamports, reference, heldAtSlot } = purchase
  if (purchase.genesisHash !== genesisHash) {
    audit.earlierChain += 1
    return
  }
  try {
    const transaction = signature === null ? undefined : await chain.transaction(signature)
    if (!transaction) {
      audit.unchecked.push(`purchase ${id}: its payment ${signature ?? ''} was not found on chain`)
      return
    }
    const verdict = verifyPayment(transaction, { buyer, seller, lamports: priceLamports, reference, heldAtSlot })
    if (verdict.kind === 'pays') audit.verified += 1
    else audit.violations.push({ invariant: 'I3', detail: `purchase ${id}: its payment does not pay for it (${verdict.reason})` })
  } catch (error) {
    audit.unchecked.push(`purchase ${id}: ${error instanceof Error ? error.message : 'no answer'}`)
  }
}

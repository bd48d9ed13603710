import { type AuditReport } from '@juicebar/contract/schemas'

import { type Chain } from '../chain/chain.ts'
import { verifyPayment } from '../purchases/payment/landed-payment.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { type SettledPurchase, readSettledPage } from './audit-store.ts'

export interface PaymentVerification {
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
export async function verifyPayments({ database, chain }: PurchaseDeps): Promise<PaymentVerification> {
  const result: PaymentVerification = { verified: 0, earlierChain: 0, violations: [], unchecked: [] }
  const genesisHash = await readGenesisHash(chain, result)
  if (genesisHash === undefined) return result
  let after: string | undefined
  for (;;) {
    const page = await readSettledPage(database, after, PAGE)
    const left = page.values()
    const worker = async () => {
      for (const purchase of left) await verifySettled(chain, genesisHash, purchase, result)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    after = page.at(-1)?.id
    if (page.length < PAGE) return result
  }
}

async function readGenesisHash(chain: Chain, result: PaymentVerification): Promise<string | undefined> {
  try {
    return await chain.genesisHash()
  } catch (error) {
    result.unchecked.push(`payments on chain: ${error instanceof Error ? error.message : 'no answer'}`)
    return undefined
  }
}

async function verifySettled(chain: Chain, genesisHash: string, purchase: SettledPurchase, result: PaymentVerification): Promise<void> {
  const { id, signature, buyer, seller, priceLamports, reference, heldAtSlot } = purchase
  if (purchase.genesisHash !== genesisHash) {
    result.earlierChain += 1
    return
  }
  try {
    const transaction = signature === null ? undefined : await chain.transaction(signature)
    if (!transaction) {
      result.unchecked.push(`purchase ${id}: its payment ${signature ?? ''} was not found on chain`)
      return
    }
    const verdict = verifyPayment(transaction, { buyer, seller, lamports: priceLamports, reference, heldAtSlot })
    if (verdict.kind === 'pays') result.verified += 1
    else result.violations.push({ invariant: 'I3', detail: `purchase ${id}: its payment does not pay for it (${verdict.reason})` })
  } catch (error) {
    result.unchecked.push(`purchase ${id}: ${error instanceof Error ? error.message : 'no answer'}`)
  }
}

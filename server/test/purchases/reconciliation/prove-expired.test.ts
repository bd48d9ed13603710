import { type Signature } from '@juicebar/contract/addresses'
import { expect, it } from 'vitest'

import { type FinalizedView, type SignatureEntry } from '../../../src/chain/chain.ts'
import { isProvedExpired } from '../../../src/purchases/reconciliation/prove-expired.ts'

const signature = 'ours' as Signature
const payment = { signature, genesisHash: 'chain', expiryHeight: 1_000n }
const traces = [{ address: 'reference', sinceSlot: 10n }]

/** What the finalized chain shows, far beyond the height up to which the payment could land, and empty but for the changes. */
function view(changes: Partial<FinalizedView> = {}): FinalizedView {
  return { genesisHash: 'chain', slot: 5_000n, height: 1_011n, signaturesFor: async () => [], statusOf: async () => undefined, ...changes }
}

const entry = (changes: Partial<SignatureEntry>): SignatureEntry => ({ signature, slot: 20n, failed: false, ...changes })

it.each<[string, boolean, FinalizedView]>([
  ['the chain shows nothing of it', true, view()],
  ['it failed', true, view({ statusOf: async () => ({ slot: 20n, commitment: 'finalized', failed: true }) })],
  ['only others are found by its reference', true, view({ signaturesFor: async () => [entry({ signature: 'other' as Signature })] })],
  ['its blockhash may still be good on an endpoint that lags behind', false, view({ height: 1_010n })],
  ['it landed', false, view({ statusOf: async () => ({ slot: 20n, commitment: 'finalized', failed: false }) })],
  ['its status is forgotten but its reference shows it', false, view({ signaturesFor: async () => [entry({})] })],
  ['it was made for another chain', false, view({ genesisHash: 'another' })],
])('when %s, it is proved dead: %s', async (_, dead, finalized) => {
  expect(await isProvedExpired(finalized, payment, traces)).toBe(dead)
})

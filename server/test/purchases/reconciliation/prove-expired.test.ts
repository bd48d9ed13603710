import { type Signature } from '@juicebar/contract/addresses'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Chain, type FinalizedView, type LandedTransaction, type SignatureEntry } from '../../../src/chain/chain.ts'
import { clock } from '../../../src/purchases/purchase/wait-for-endpoints.ts'
import { endWaits } from '../waits-over.ts'
import { isProvedExpired } from '../../../src/purchases/reconciliation/prove-expired.ts'

const signature = 'ours' as Signature
const payment = { signature, genesisHash: 'chain', expiryHeight: 1_000n }
const traces = [{ address: 'reference', sinceSlot: 10n }]

const showing =
  (...entries: SignatureEntry[]): FinalizedView['history'] =>
  async () => ({ kind: 'part', entries, older: undefined, pages: 1 })

/** A finalized chain well above the payment's expiry height, which shows nothing but the changes. */
function view(changes: Partial<FinalizedView> = {}): FinalizedView {
  return {
    endpoint: 'endpoint',
    genesisHash: 'chain',
    slot: 5_000n,
    height: 1_011n,
    history: showing(),
    statusOf: async () => undefined,
    ...changes,
  }
}

/** Endpoints that show this transaction, or none. */
const showingOf = (shown: LandedTransaction | undefined) => ({ transaction: async () => shown }) as unknown as Chain

const entry = (changes: Partial<SignatureEntry>): SignatureEntry => ({ signature, slot: 20n, failed: false, ...changes })

it.each<[string, boolean, FinalizedView]>([
  ['the chain shows nothing of it', true, view()],
  ['it failed', true, view({ statusOf: async () => ({ slot: 20n, commitment: 'finalized', failed: true }) })],
  ['its reference shows only other transactions', true, view({ history: showing(entry({ signature: 'other' as Signature })) })],
  ['its blockhash may still be valid at an endpoint that lags behind', false, view({ height: 1_010n })],
  ['it landed', false, view({ statusOf: async () => ({ slot: 20n, commitment: 'finalized', failed: false }) })],
  ['its status is gone, but its reference shows it', false, view({ history: showing(entry({})) })],
  ['the endpoint has dropped the blocks since', false, view({ history: async () => ({ kind: 'pruned', firstSlot: 20n }) })],
  ['it is from another chain', false, view({ genesisHash: 'another' })],
])('if %s, it is proved expired: %s', async (_, expired, finalized) => {
  expect(await isProvedExpired(showingOf(undefined), finalized, payment, traces)).toBe(expired)
})

it.each([true, false])('if another endpoint shows the transaction, and that it failed: %s, it is as that one says', async (failed) => {
  const shown = { signature, slot: 20n, failed, bytes: new Uint8Array(), signers: [], instructions: [], innerInstructions: [] }
  expect(await isProvedExpired(showingOf(shown), view(), payment, traces)).toBe(failed)
})

it('the minute begins again when somebody has shown it', async () => {
  let shown: LandedTransaction | undefined
  const chain = { transaction: async () => shown } as unknown as Chain
  const claiming = view({ statusOf: async () => ({ slot: 20n, commitment: 'finalized', failed: false }) })
  const isExpired = () => isProvedExpired(chain, claiming, payment, traces)
  expect(await isExpired()).toBe(false)
  shown = { signature, slot: 20n, failed: false, bytes: new Uint8Array(), signers: [], instructions: [], innerInstructions: [] }
  expect(await isExpired()).toBe(false)
  shown = undefined
  const later = vi.spyOn(clock, 'now').mockReturnValue(clock.now() + 61_000)
  onTestFinished(() => later.mockRestore())
  expect(await isExpired()).toBe(false)
})

it.each<[string, FinalizedView]>([
  ['says that it landed', view({ statusOf: async () => ({ slot: 20n, commitment: 'confirmed', failed: false }) })],
  ['lists it', view({ history: showing(entry({})) })],
])('if an endpoint %s and nobody shows it for a minute, it is proved expired', async (_, finalized) => {
  const chain = showingOf(undefined)
  expect(await isProvedExpired(chain, finalized, payment, traces)).toBe(false)
  endWaits()
  expect(await isProvedExpired(chain, finalized, payment, traces)).toBe(true)
})

import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { runPurchase } from '../../src/features/purchase/flow/run-purchase.ts'
import { useWallet } from '../../src/wallet/wallet-store.ts'
import { listing } from '../support/listing.ts'

const offer = listing({ price: 0.5 })
const buyer = 'EktUtax5cud3mrcEZrofj6yQxVvNeMNdaGeRPwiKnaCC'
const address = '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW'
const hold = {
  purchaseId: 'purchase-1',
  seller: offer.seller,
  price: 0.5,
  lamports: '500000000',
  reference: address,
  payMillisLeft: 60_000,
}
const settled = { purchaseId: 'purchase-1', status: 'settled', stage: 'delivered', signature: null }
const blockhash = { value: { blockhash: address, lastValidBlockHeight: 150 } }

/** A server that answers each call with what `replies` has for it, and a wallet that signs as `sign` does. */
function open(sign: () => Promise<object[]>, replies: Record<string, object> = {}) {
  const all: Record<string, object> = {
    [`POST /api/marketplace/buy/${offer._id}`]: { transactionDetails: hold },
    'POST /rpc': { result: blockhash },
    'POST /api/marketplace/purchases/purchase-1/payment': { signature: 'signature' },
    'POST /api/marketplace/confirm-purchase': { purchase: settled },
    'DELETE /api/marketplace/purchases/purchase-1': { purchase: { ...settled, status: 'ended' } },
    ...replies,
  }
  const calls: string[] = []
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    calls.push(`${method} ${url}`)
    return Response.json(all[`${method} ${url}`] ?? {}, { status: all[`${method} ${url}`] ? 200 : 500 })
  })
  const features = { 'solana:signTransaction': { supportedTransactionVersions: [0], signTransaction: sign } }
  const connected = { wallet: { chains: [], features }, account: { address: buyer }, connection: 1 }
  useWallet.setState({ connected: connected as never })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    useWallet.setState({ connected: undefined })
  })
  return calls
}

function run() {
  const progress: object[] = []
  const outcome = runPurchase({ listing: offer, network: 'localnet', onProgress: (change) => progress.push(change) })
  return { progress, outcome }
}

const signs = async () => [{ signedTransaction: new Uint8Array([1]) }]
const fails = (code: number) => async () => {
  throw Object.assign(new Error('no'), { code })
}

describe('a purchase', () => {
  test('goes from the hold to the delivery', async () => {
    open(signs)
    const { progress, outcome } = run()
    await expect(outcome).resolves.toEqual({ ...settled, signature: 'signature' })
    expect(progress).toEqual([{ payMillisLeft: 60_000 }, { step: 'sent' }, { step: 'delivered' }])
  })

  test('does not ask the wallet for anything but what the buyer confirmed', async () => {
    const sign = vi.fn<typeof signs>(signs)
    open(sign, { [`POST /api/marketplace/buy/${offer._id}`]: { transactionDetails: { ...hold, lamports: '500000001' } } })
    await expect(run().outcome).rejects.toThrow('The lot has changed since you confirmed it. Your wallet was not asked; no SOL moved.')
    expect(sign).not.toHaveBeenCalled()
  })

  test('that the buyer declines gives the hold back', async () => {
    const calls = open(fails(4001))
    await expect(run().outcome).rejects.toThrow('You declined the request in your wallet. No SOL moved. The lot is free again.')
    expect(calls).toContain('DELETE /api/marketplace/purchases/purchase-1')
  })

  test('that fails in the wallet keeps its hold, so that the buyer can try again', async () => {
    const calls = open(fails(4900))
    await expect(run().outcome).rejects.toThrow(/No SOL moved\. The lot is kept for you until the time to pay runs out/)
    expect(calls).not.toContain('DELETE /api/marketplace/purchases/purchase-1')
  })
})

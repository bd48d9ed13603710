import { type Purchase } from '@juicebar/contract/schemas'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { callRpc, useTradingWorld, waiting, type Wallet } from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

const world = useTradingWorld()

/** Sends transactions that name a reference and pay for nothing, as quickly as an attacker. Returns their signatures. */
async function flood(from: Wallet, reference: string, count: number): Promise<string[]> {
  const before = (await world.chain.recentSignatures(reference, 0n, 1_000)).length
  const signatures: string[] = []
  for (let n = 0; n < count; n++) {
    // Signed just before it is sent: on a slow machine, a blockhash expires while many are on their way.
    const { base64, signature } = await signTransaction(world, from, [transfer(from, from.address, BigInt(n), [reference])])
    await callRpc(world.rpcUrl, 'sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }])
    signatures.push(signature)
  }
  await world.mine(2)
  await expect.poll(() => world.chain.recentSignatures(reference, 0n, 1_000), waiting).toHaveLength(before + count)
  return signatures
}

/** Cancelled, and since held by somebody else. */
async function cancelledPurchase(): Promise<Purchase> {
  const purchase = await world.holdNew()
  await world.cancel(world.buyer, purchase)
  await world.hold(world.rival, purchase.listingId)
  return purchase
}

it('finds a late payment that its seller hides behind 110 junk transactions', async () => {
  const purchase = await cancelledPurchase()
  const late = await world.payByWallet(world.buyer, purchase)
  await flood(world.seller, purchase.reference, 110)
  await world.untilCase(late, { kind: 'late', refundable: true })
})

it('reads none of the junk again that it has decided, even after a restart', async () => {
  const purchase = await cancelledPurchase()
  await world.payByWallet(world.buyer, purchase)
  await flood(world.seller, purchase.reference, 110)
  await world.mine(80)
  const decidedTo = async () => {
    const { rows } = await world.connection.pool.query<{ to: string | null }>('select decided_to as to from purchases where id = $1', [
      purchase.purchaseId,
    ])
    return rows[0]?.to
  }
  await world.reconcileUntil(async () => expect(await decidedTo()).not.toBeNull())
  const newestFirst = (await world.chain.recentSignatures(purchase.reference, 0n, 1_000)).map(({ signature }) => signature)
  const read: string[] = []
  const restarted = world.withChain({
    transaction: (signature, options) => {
      read.push(signature)
      return world.chain.transaction(signature, options)
    },
  })
  const last = await decidedTo()
  await world.makeDue(purchase)
  await restarted.reconcileOnce()
  expect(
    read.filter((signature) => newestFirst.findIndex((one) => one === signature) >= newestFirst.findIndex((one) => one === last)),
  ).toEqual([])
})

it('reads what floods the references of holds with a fifth of the budget at most, and never before what payments need', async () => {
  const holds = [await world.holdNew(world.buyer), await world.holdNew(world.rival)]
  const junk = (await Promise.all(holds.map(({ reference }) => flood(world.buyer, reference, 20)))).flat()
  // An address that the chain client does not treat as local, which it would ask without limits.
  const chain = createChain({ endpoints: [world.rpcUrl.replace('127.0.0.1', '0.0.0.0')], log: world.deps.log, requestsPerSecond: 20 })
  await chain.start()
  onTestFinished(() => chain.stop())
  const reads: { priority: string; at: number }[] = []
  for (const endpoint of chain.pool.endpoints) {
    const send = endpoint.send.bind(endpoint)
    vi.spyOn(endpoint, 'send').mockImplementation((payload, priority) => {
      // Purchases of the tests before may be searched, too.
      const text = JSON.stringify(payload)
      if (text.includes('getTransaction') && junk.some((signature) => text.includes(signature)))
        reads.push({ priority, at: performance.now() })
      return send(payload, priority)
    })
  }
  for (const purchase of holds) await world.makeDue(purchase)
  await world.seenWith({ deps: { ...world.deps, chain } }).reconcileOnce()
  expect(reads.length).toBeGreaterThan(4)
  expect(new Set(reads.map(({ priority }) => priority))).toEqual(new Set(['candidate']))
  // Timers are a little early or late.
  for (const { at } of reads) expect(reads.filter((read) => read.at >= at && read.at < at + 950).length).toBeLessThanOrEqual(5)
})

import { type Purchase } from '@juicebar/contract/schemas'
import { expect, it } from 'vitest'

import { callRpc, useTradingWorld, waiting, type Wallet } from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

const world = useTradingWorld()

/** Sends transactions that name a reference and pay for nothing, as quickly as an attacker. Returns their signatures. */
async function flood(from: Wallet, reference: string, count: number): Promise<string[]> {
  const junk = await Promise.all(
    Array.from({ length: count }, (_, n) => signTransaction(world, from, [transfer(from, from.address, BigInt(n), [reference])])),
  )
  for (const { base64 } of junk) await callRpc(world.rpcUrl, 'sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }])
  await world.mine(2)
  await expect.poll(() => world.chain.recentSignatures(reference, 0n, 1_000), waiting).toHaveLength(count + 1)
  return junk.map(({ signature }) => signature)
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

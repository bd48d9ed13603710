import { beforeAll, describe, expect, it } from 'vitest'
import { removeListing } from '../../../src/listings/change-listings.ts'
import { closeCase, openCase, openVanishedCase } from '../../../src/purchases/cases/open-case.ts'
import { findPurchase, type PurchaseRow } from '../../../src/purchases/purchase/purchase-store.ts'
import { createWebhook } from '../../../src/studio/webhooks/change-webhooks.ts'
import { collectMessages } from '../../../src/studio/webhooks/run-webhooks.ts'
import { useTradingWorld, type Wallet } from '../../purchases/trading-world.ts'

const studio = { address: 'JCYoWVEjgW4iocDBRcWPhNYNnNFx3tSqSDxAZetY3Dmz' as Wallet['address'] }
const world = useTradingWorld({ fee: { basisPoints: 333, wallet: studio.address } })

beforeAll(async () => {
  const events = ['sale.settled', 'sale.reversed', 'case.opened', 'case.closed', 'listing.created', 'listing.removed'] as const
  await createWebhook(world.database, { url: 'https://game.example/', events, allowPrivate: false, actor: 'test' })
})

/** What happened since the last time. */
async function takeMessages(): Promise<{ type: string; timestamp: string; data: Record<string, unknown> }[]> {
  while ((await collectMessages({ ...world.deps, publicOrigin: 'http://localhost' })) > 0);
  const { rows } = await world.connection.pool.query<{ body: string }>(
    'with taken as (delete from webhook_messages returning ordinal, body) select body from taken order by ordinal',
  )
  return rows.map(({ body }) => JSON.parse(body))
}

/** The buyer of this test buys from its seller and another one. */
async function buy(): Promise<{ purchase: PurchaseRow; sellers: Wallet[] }> {
  const sellers = [world.seller, await world.createWallet()]
  const items = [{ listingId: await world.list(sellers[0]) }, { listingId: await world.list(sellers[1]) }]
  const held = await world.holdItems(world.buyer, items)
  await world.submit(world.buyer, held, await world.signTransfers(world.buyer, held, studio))
  await world.untilStatus(held, 'settled')
  return { purchase: (await findPurchase(world.database, held.purchaseId))!, sellers }
}

describe('webhooks are told', () => {
  it('of a listing with its seller, and of its removal', async () => {
    const { seller } = world
    const id = await world.list()
    await removeListing(world.database, seller.address, id)
    expect(await takeMessages()).toMatchObject([
      { type: 'listing.created', data: { _id: id, seller: seller.address, status: 'active', amount: 10 } },
      { type: 'listing.removed', data: { _id: id, seller: seller.address, status: 'removed', amount: 10 } },
    ])
  })

  it('of nothing when a listing is held and is free again', async () => {
    const id = await world.list()
    await takeMessages()
    await world.hold(world.buyer, id)
    expect(await takeMessages()).toEqual([])
  })

  it('of each item of a sale, whose fees add up; of its reversal; and of its cases', async () => {
    const { purchase, sellers } = await buy()
    const sold = (await takeMessages()).filter(({ type }) => type === 'sale.settled')
    expect(sold.map(({ data }) => data)).toEqual(
      purchase.items.map((item, index) => ({
        saleId: `${purchase.id}.${index + 1}`,
        reverses: null,
        purchaseId: purchase.id,
        listingId: item.listingId,
        buyer: world.buyer.address,
        seller: sellers[index]!.address,
        tokenType: 'APPLE_JUICE',
        amount: 10,
        lamports: item.lamports,
        fee: { lamports: expect.any(String), basisPoints: 333 },
        signature: purchase.signature,
        settledAt: purchase.settledAt!.toISOString(),
        checkout: null,
      })),
    )
    const fees = sold.map(({ data }) => BigInt((data['fee'] as { lamports: string }).lamports))
    expect(fees.reduce((sum, fee) => sum + fee)).toBe(purchase.feeLamports)

    await openVanishedCase(world.deps, purchase, { signature: purchase.signature, transactionBytes: Buffer.alloc(1) } as never)
    const told = await takeMessages()
    expect(told.map(({ type }) => type).toSorted()).toEqual(['case.opened', 'case.opened', 'sale.reversed', 'sale.reversed'])
    const reversed = told.filter(({ type }) => type === 'sale.reversed').map(({ data }) => data)
    expect(reversed).toEqual(
      sold.map(({ data }, index) => ({
        ...data,
        saleId: `${purchase.id}.${index + 1}.reversed`,
        reverses: `${purchase.id}.${index + 1}`,
        settledAt: told[0]!.timestamp,
      })),
    )
  })

  it('of a case as it was when it was opened, and when it was closed', async () => {
    const { purchase, sellers } = await buy()
    await takeMessages()
    const payment = { signature: 'x'.repeat(64) as never, transactionBytes: Buffer.alloc(1), slot: 1n, expiryHeight: 1n }
    const received = [{ to: sellers[0]!.address, lamports: 90_000_000_000n, referencedLamports: 90_000_000_000n }]
    const unmatched = { purchase, payment, referenced: true, received, paidPurchase: undefined, deliverable: false, final: true }
    expect(await openCase(world.deps, { ...unmatched, kind: 'double' })).toBe('open')
    const found = (await world.casesOf(world.buyer)).find(({ kind }) => kind === 'double')
    const closed = await closeCase(world.deps, found!.caseId, 'Paid back by hand.')
    expect(await takeMessages()).toMatchObject([
      { type: 'case.opened', data: { ...found, purchaseId: purchase.id, signature: payment.signature, status: 'open', note: null } },
      { type: 'case.closed', data: closed },
    ])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { removeListing } from '../../../src/listings/remove-listing.ts'
import { closeCase } from '../../../src/purchases/cases/close-case.ts'
import { openCase, openVanishedCase } from '../../../src/purchases/cases/open-case.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { findPurchase, type PurchaseRow } from '../../../src/purchases/purchase-store.ts'
import { createWebhook } from '../../../src/studio/webhooks/create-webhook.ts'
import { collectMessages } from '../../../src/studio/webhooks/messages/collect-messages.ts'
import {
  casesOf,
  expectAllAddsUp,
  hold,
  holdItems,
  list,
  openTradingWorld,
  signTransfers,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../../purchases/trading-world.ts'

let studio: Wallet
let world: TradingWorld

beforeAll(async () => {
  const wallets = await openTradingWorld()
  studio = await wallets.createWallet()
  await wallets.close()
  world = await openTradingWorld({ fee: { basisPoints: 333, wallet: studio.address } })
  const events = ['sale.settled', 'sale.reversed', 'case.opened', 'case.closed', 'listing.created', 'listing.removed'] as const
  await createWebhook(world.database, { url: 'https://game.example/', events, allowPrivate: false, actor: 'test' })
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** What happened since the last time. */
async function takeMessages(): Promise<{ type: string; timestamp: string; data: Record<string, unknown> }[]> {
  while ((await collectMessages(world.deps)) > 0);
  const { rows } = await world.connection.pool.query<{ body: string }>(
    'with taken as (delete from webhook_messages returning ordinal, body) select body from taken order by ordinal',
  )
  return rows.map(({ body }) => JSON.parse(body))
}

async function buy(): Promise<{ purchase: PurchaseRow; sellers: Wallet[]; buyer: Wallet }> {
  const [buyer, ...sellers] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
  const listings = [await list(world, sellers[0]), await list(world, sellers[1])]
  const held = await holdItems(
    world,
    buyer,
    listings.map((listingId) => ({ listingId })),
  )
  await submitPayment(world.deps, buyer.address, held.purchaseId, (await signTransfers(world, buyer, held, studio)).base64)
  await untilStatus(world, held.purchaseId, 'settled')
  const purchase = await findPurchase(world.database, held.purchaseId)
  return { purchase: purchase!, sellers, buyer }
}

describe('webhooks are told', () => {
  it('of a listing with its seller, and of its removal', async () => {
    const seller = await world.createWallet()
    const id = await list(world, seller)
    await removeListing(world.database, seller.address, id)
    expect(await takeMessages()).toMatchObject([
      { type: 'listing.created', data: { _id: id, seller: seller.address, status: 'active', amount: 10 } },
      { type: 'listing.removed', data: { _id: id, seller: seller.address, status: 'removed', amount: 10 } },
    ])
  })

  it('of nothing when a listing is held and is free again', async () => {
    const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
    const id = await list(world, seller)
    await takeMessages()
    await hold(world, buyer, id)
    expect(await takeMessages()).toEqual([])
  })

  it('of each item of a sale, whose fees add up; of its reversal; and of its cases', async () => {
    const { purchase, sellers, buyer } = await buy()
    const sold = (await takeMessages()).filter(({ type }) => type === 'sale.settled')
    expect(sold.map(({ data }) => data)).toEqual(
      purchase.items.map((item, index) => ({
        saleId: `${purchase.id}.${index + 1}`,
        reverses: null,
        purchaseId: purchase.id,
        listingId: item.listingId,
        buyer: buyer.address,
        seller: sellers[index]!.address,
        tokenType: 'APPLE_JUICE',
        amount: 10,
        lamports: item.lamports,
        fee: { lamports: expect.any(String), basisPoints: 333 },
        signature: purchase.signature,
        settledAt: purchase.settledAt!.toISOString(),
      })),
    )
    const fees = sold.map(({ data }) => BigInt((data['fee'] as { lamports: string }).lamports))
    expect(fees.reduce((sum, fee) => sum + fee)).toBe(purchase.feeLamports)

    await openVanishedCase(world.deps, purchase, { signature: purchase.signature } as never)
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
    const { purchase, sellers, buyer } = await buy()
    await takeMessages()
    const payment = { signature: 'x'.repeat(64) as never, transactionBytes: Buffer.alloc(1), slot: 1n, expiryHeight: 1n }
    const received = [{ to: sellers[0]!.address, lamports: 90_000_000_000n, referencedLamports: 90_000_000_000n }]
    const unmatched = {
      purchase,
      kind: 'double',
      payment,
      referenced: true,
      received,
      paidPurchase: undefined,
      deliverable: false,
    } as const
    expect(await openCase(world.deps, unmatched)).toBe('open')
    const found = (await casesOf(world, buyer.address)).find(({ kind }) => kind === 'double')
    const closed = await closeCase(world.deps, found!.caseId, 'Paid back by hand.')
    expect(await takeMessages()).toMatchObject([
      { type: 'case.opened', data: { ...found, purchaseId: purchase.id, signature: payment.signature, status: 'open', note: null } },
      { type: 'case.closed', data: closed },
    ])
  })
})

import { parseWalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createListing } from '../../../src/listings/create-listing.ts'
import { listOwnListings } from '../../../src/listings/listing-store.ts'
import { removeListing } from '../../../src/listings/remove-listing.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { runAudit } from '../../../src/studio/audit/run-audit.ts'
import {
  appleJuice,
  casesOf,
  expectAllAddsUp,
  holdItems,
  list,
  openTradingWorld,
  orderOf,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signTransfers,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'

let world: TradingWorld
let studio: Wallet
let sellers: [Wallet, Wallet]
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  studio = await world.createWallet()
  sellers = [await world.createWallet(), await world.createWallet()]
})

beforeEach(async () => {
  buyer = await world.createWallet()
  world.deps.settings.fee = { basisPoints: 0, wallet: undefined }
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** A listing of 120 apple juices that may be bought in parts, for `price` lamports. */
async function listParts(seller: Wallet, price = 70_000_000n): Promise<string> {
  const draft = { tokenType: 'APPLE_JUICE', amount: 120, priceLamports: lamports(price), divisible: true } as const
  return (await createListing(world.database, seller.address, draft))._id
}

const balance = async ({ address }: Wallet) => world.chain.balance(address, { fresh: true })
const ownListing = async (seller: Wallet, id: string) =>
  (await listOwnListings(world.database, seller.address, 'active')).find(({ _id }) => _id === id)

describe('a purchase of several items', () => {
  it('is paid with one transaction to all sellers and the studio, to the lamport, and delivered whole', async () => {
    world.deps.settings.fee = { basisPoints: 250, wallet: studio.address }
    const [first, second] = sellers
    const [parts, whole, another] = [await listParts(first), await list(world, second), await list(world, second)]
    const before = await Promise.all([first, second, studio].map(balance))
    const purchase = await holdItems(world, buyer, [{ listingId: parts, amount: 41 }, { listingId: whole }, { listingId: another }])
    expect(purchase.items.map(({ amount, seller }) => ({ amount, seller }))).toEqual([
      { amount: 41, seller: first.address },
      { amount: 10, seller: second.address },
      { amount: 10, seller: second.address },
    ])
    const [part] = purchase.items
    expect(part).toMatchObject({ partOf: parts, lamports: '23916667' })
    const total = purchase.items.reduce((sum, item) => sum + BigInt(item.lamports), 0n)
    const fee = (total * 250n) / 10_000n
    expect(purchase).toMatchObject({ lamports: String(total), fee: { lamports: String(fee), basisPoints: 250 } })

    const payment = await signTransfers(world, buyer, purchase, studio)
    await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)
    await untilStatus(world, purchase.purchaseId, 'settled')
    const after = await Promise.all([first, second, studio].map(balance))
    expect(after.map((amount, index) => amount - (before[index] ?? 0n))).toEqual([23_916_667n, total - 23_916_667n, fee])
    expect(await appleJuice(world, buyer)).toBe(1_061)
    expect(await ownListing(first, parts)).toMatchObject({ amount: 79, beingBought: 0, sold: 41, price: 0.046083333 })
    expect(await runAudit(world.deps, { full: true })).toMatchObject({ ok: true, revenue: { lamports: String(fee) } })
    const again = await confirmPurchase(world.deps, buyer.address, parts, payment.signature)
    expect(again).toMatchObject({ settled: true, purchase: { id: purchase.purchaseId } })
  })

  it('is refused as a whole, and the refused item is named', async () => {
    const [first] = sellers
    const [free, held] = [await list(world, first), await list(world, first)]
    const rival = await world.createWallet()
    await holdItems(world, rival, [{ listingId: held }])
    const order = orderOf(buyer, [{ listingId: free }, { listingId: held }])
    await expect(placeHold(world.deps, order)).rejects.toMatchObject({ code: 'LISTING_HELD', listingId: held })
    expect((await holdItems(world, rival, [{ listingId: free }])).status).toBe('held')
  })

  it('placed again, whole or in part, is the same purchase', async () => {
    const [first, second] = sellers
    const items = [{ listingId: await listParts(first), amount: 7 }, { listingId: await list(world, second) }]
    const { purchaseId } = await holdItems(world, buyer, items)
    expect(await holdItems(world, buyer, items.toReversed())).toMatchObject({ purchaseId })
    expect(await holdItems(world, buyer, items.slice(0, 1))).not.toMatchObject({ purchaseId })
  })

  it.each([
    ['TRANSFERS_NEEDED', { paysTransfers: false }],
    ['PRICE_MOVED', { mostLamports: 1n }],
  ])('is refused with %s before anything is held', async (code, changes) => {
    const items = [{ listingId: await list(world, sellers[0]) }, { listingId: await list(world, sellers[1]) }]
    await expect(placeHold(world.deps, { ...orderOf(buyer, items), ...changes })).rejects.toMatchObject({ code })
    expect(await holdItems(world, buyer, items)).toMatchObject({ status: 'held' })
  })

  it('becomes a case for each seller who received SOL if a transfer is missing', async () => {
    world.deps.settings.fee = { basisPoints: 250, wallet: studio.address }
    const items = [{ listingId: await list(world, sellers[0]) }, { listingId: await list(world, sellers[1]) }]
    const purchase = await holdItems(world, buyer, items, 'wallet')
    const [first, second] = purchase.items
    const missing = { ...purchase, items: purchase.items.slice(0, 1) }
    const signature = await sendByWallet(world, await signTransfers(world, buyer, missing, studio))
    await reconcileUntil(world, async () => expect(await casesOf(world, buyer.address)).toHaveLength(1))
    expect(await casesOf(world, buyer.address)).toMatchObject([
      {
        kind: 'wrong',
        signature,
        seller: first?.seller,
        lamports: first?.lamports,
        fee: { lamports: purchase.fee.lamports, owedTo: buyer.address },
        explanation: expect.stringContaining('is not returned by the seller'),
      },
    ])
    expect(await casesOf(world, parseWalletAddress(second?.seller ?? '') ?? buyer.address)).toEqual([])
    expect((await readPurchase(world, purchase.purchaseId)).status).toBe('held')
  })
})

describe('a part of a listing', () => {
  it('goes back to the listing when nobody pays for it, with every lamport', async () => {
    const [seller] = sellers
    const listingId = await listParts(seller, 7_000_000n)
    const purchase = await holdItems(world, buyer, [{ listingId, amount: 50 }])
    expect(await ownListing(seller, listingId)).toMatchObject({ amount: 120, price: 0.007, beingBought: 50 })
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    expect(await ownListing(seller, listingId)).toMatchObject({ amount: 120, price: 0.007, beingBought: 0 })
  })

  it('returns its tokens when nobody pays for it and the listing was removed', async () => {
    const seller = await world.createWallet()
    const listingId = await listParts(seller)
    const purchase = await holdItems(world, buyer, [{ listingId, amount: 50 }])
    await removeListing(world.database, seller.address, listingId)
    expect(await appleJuice(world, seller)).toBe(950)
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    expect(await appleJuice(world, seller)).toBe(1_000)
  })

  it('is delivered late if so much of its listing is left', async () => {
    const [seller] = sellers
    const listingId = await listParts(seller)
    const purchase = await holdItems(world, buyer, [{ listingId, amount: 50 }], 'server')
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    const signature = await sendByWallet(world, await signTransfers(world, buyer, purchase, studio))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
    expect(await ownListing(seller, listingId)).toMatchObject({ amount: 70, sold: 50 })
  })

  it('must be large enough for a seller whose account does not exist yet', async () => {
    const seller = await world.createWallet({ sol: 0n })
    const listingId = await listParts(seller, 7_000_000n)
    await expect(placeHold(world.deps, orderOf(buyer, [{ listingId, amount: 15 }]))).rejects.toMatchObject({
      code: 'PART_TOO_SMALL',
      detail: expect.stringContaining('Buy at least 16.'),
    })
    expect(await holdItems(world, buyer, [{ listingId, amount: 16 }])).toMatchObject({ status: 'held' })
  })
})

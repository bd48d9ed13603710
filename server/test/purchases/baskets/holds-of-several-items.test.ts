import { type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findListing, listOwnListings } from '../../../src/listings/listing-store.ts'
import { type FeeTerms, transfersOf } from '../../../src/purchases/purchase/purchase.ts'
import { type OrderedItem } from '../../../src/purchases/reservation/order.ts'
import { type HoldOutcome } from '../../../src/purchases/hold/place-hold.ts'
import { orderOf } from '../trading-world.ts'
import {
  addPlayer,
  decideInStore,
  expectLedgerAddsUp,
  heldBy,
  holdInStore,
  lapseInStore,
  newAddress,
  noFee,
  offer,
  settleInStore,
  useStoreMarket,
} from './store-market.ts'

const RUNS = 200
/** Lamports and drinks of what is for sale: the least, the most, and what rounds badly. */
const OFFERS = [
  [1_000_000n, 1_000_000],
  [1_000_000n, 1],
  [3_000_000n, 7],
  [1_000_000_000_000_000n, 1_000_000],
  [1_000_000_000_000_000n, 3],
  [77_000_000n, 120],
] as const

interface Offered {
  listingId: string
  seller: WalletAddress
  lamports: bigint
  amount: number
}

const market = useStoreMarket()
let seller: WalletAddress
let buyer: WalletAddress

beforeEach(async () => {
  seller = await addPlayer(market, 100_000)
  buyer = await addPlayer(market)
})

const order = (items: readonly OrderedItem[], address = buyer) => orderOf({ address }, items)
const hold = (items: readonly OrderedItem[], address = buyer, fee?: FeeTerms) => holdInStore(market, order(items, address), fee)
const heldId = (outcome: HoldOutcome) => heldBy(outcome).id
const refused = (code: string) => ({ kind: 'refused', refusal: { code } })

describe('the same order again', () => {
  it('is answered with the same hold only to a client that pays all its transfers and not more than it says', async () => {
    const other = await addPlayer(market)
    const items = [{ listingId: await offer(market, seller), amount: 7 }, { listingId: await offer(market, other) }]
    const first = heldId(await hold(items))
    expect(await holdInStore(market, { ...order(items), paysTransfers: false })).toMatchObject(refused('TRANSFERS_NEEDED'))
    expect(await holdInStore(market, { ...order(items), mostLamports: 1n })).toMatchObject(refused('PRICE_MOVED'))
    expect(heldId(await hold(items))).toBe(first)
  })

  it('is another order if it names a part and its listing for two items', async () => {
    const listingId = await offer(market, seller)
    const first = await hold([{ listingId, amount: 40 }, { listingId: await offer(market, seller) }])
    const [part] = heldBy(first).items
    const twice = [{ listingId, amount: 40 }, { listingId: part!.listingId }]
    expect(await hold(twice)).toMatchObject(refused('LISTING_HELD'))
  })

  it('is a new hold after the first has lapsed, and then that one again', async () => {
    const other = await addPlayer(market)
    const items = [
      { listingId: await offer(market, seller), amount: 7 },
      { listingId: await offer(market, other), amount: 7 },
    ]
    const first = heldId(await hold(items))
    await lapseInStore(market, first)
    const second = heldId(await hold(items))
    expect(second).not.toBe(first)
    expect(heldId(await hold(items))).toBe(second)
  })

  it('placed many times at once is one hold, even if little is left of its listings', async () => {
    for (let round = 0; round < 5; round++) {
      const items = [
        { listingId: await offer(market, seller), amount: 100 },
        { listingId: await offer(market, seller, { divisible: false }) },
      ]
      const wallet = await addPlayer(market)
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => hold(items, wallet)))
      expect(new Set(outcomes.map(heldId)).size).toBe(1)
      await lapseInStore(market, heldId(outcomes[0]!))
    }
  })
})

describe('an order', () => {
  it('of the dearest listings at the highest fee is counted to the lamport', async () => {
    const price = 1_000_000_000_000_000n
    const items = await Promise.all(
      Array.from({ length: 10 }, async () => ({ listingId: await offer(market, seller, { amount: 10, price }) })),
    )
    const outcome = await hold(items, buyer, { basisPoints: 1_000, wallet: await newAddress() })
    expect(outcome).toMatchObject({ kind: 'held', hold: { priceLamports: 10n * price, feeLamports: price } })
    await lapseInStore(market, heldId(outcome))
  })
})

describe('the cooldown of a listing', () => {
  it('holds for each of its parts, also for one that is for sale by itself', async () => {
    const listingId = await offer(market, seller)
    for (let round = 0; round < 2; round++) await lapseInStore(market, heldId(await hold([{ listingId, amount: 5 }])))
    const others = [await addPlayer(market), await addPlayer(market)]
    const held = await hold([{ listingId, amount: 40 }], others[0])
    heldId(await hold([{ listingId }], others[1]))
    await lapseInStore(market, heldId(held))
    const [part] = heldBy(held).items
    expect(await hold([{ listingId: part!.listingId }])).toMatchObject(refused('COOLDOWN'))
  })
})

describe('a part that nobody paid for', () => {
  it('is for sale by itself while its listing is held, and merges into it once that is free', async () => {
    const [one, other, listingId] = [await addPlayer(market), await addPlayer(market), await offer(market, seller)]
    const part = await hold([{ listingId, amount: 40 }], one)
    const rest = heldId(await hold([{ listingId }], other))
    await lapseInStore(market, heldId(part))
    const partId = heldBy(part).items[0]!.listingId
    expect(await findListing(market.database, partId)).toMatchObject({ _id: partId, amount: 40, partOf: listingId, heldUntil: null })
    await lapseInStore(market, rest)
    expect(await findListing(market.database, partId)).toMatchObject({ _id: listingId, amount: 120, price: 0.007, heldUntil: null })
    expect(await listOwnListings(market.database, seller, 'active')).toMatchObject([
      { _id: listingId, amount: 120, beingBought: 0, sold: 0 },
    ])
  })

  it('costs the same however many others were bought before it, so it is delivered late for what was agreed', async () => {
    const listingId = await offer(market, seller, { amount: 3, price: 1_000_000n })
    const [first, second] = [await hold([{ listingId, amount: 1 }]), await hold([{ listingId, amount: 1 }], await addPlayer(market))]
    expect([first, second]).toMatchObject([{ hold: { priceLamports: 333_334n } }, { hold: { priceLamports: 333_334n } }])
    await lapseInStore(market, heldId(second))
    await lapseInStore(market, heldId(first))
    expect(await settleInStore(market, heldId(second))).toMatchObject({ outcome: 'settled' })
    expect(await settleInStore(market, heldId(first))).toMatchObject({ outcome: 'settled' })
    await expectLedgerAddsUp(market)
  })

  it('is delivered late as all that is left of its listing', async () => {
    const listingId = await offer(market, seller, { amount: 5, price: 5_000_000n })
    const late = await hold([{ listingId, amount: 2 }])
    await lapseInStore(market, heldId(late))
    const other = await hold([{ listingId, amount: 3 }], await addPlayer(market))
    expect(await settleInStore(market, heldId(other))).toMatchObject({ outcome: 'settled' })
    expect(await settleInStore(market, heldId(late))).toMatchObject({ outcome: 'settled' })
    await expectLedgerAddsUp(market)
  })
})

describe('the fee of a hold', () => {
  const offers: Offered[] = []
  const offerOf = (seller: WalletAddress, lamports: bigint) => offers.find((each) => each.seller === seller && each.lamports === lamports)!
  let studio: WalletAddress

  beforeAll(async () => {
    studio = await addPlayer(market, 100_000_000)
    for (const seller of [studio, await addPlayer(market, 100_000_000), await addPlayer(market, 100_000_000)]) {
      for (const [lamports, amount] of OFFERS) {
        offers.push({ listingId: await offer(market, seller, { price: lamports, amount }), seller, lamports, amount })
      }
    }
  })

  it('is the rate of what all but its wallet sell, rounded down, whatever parts are bought', async () => {
    const items = fc.uniqueArray(fc.record({ n: fc.nat({ max: OFFERS.length * 3 - 1 }), part: fc.nat({ max: 999_999 }) }), {
      selector: ({ n }) => n,
      minLength: 1,
      maxLength: 18,
    })
    const property = fc.asyncProperty(items, fc.integer({ min: 0, max: 1_000 }), async (chosen, basisPoints) => {
      const fee = { basisPoints, wallet: studio }
      const ordered = chosen.map(({ n, part }) => {
        const { listingId, seller, lamports, amount } = offers[n]!
        const wanted = 1 + (part % amount)
        return { listingId, seller, amount: wanted, lamports: (lamports * BigInt(wanted) + BigInt(amount) - 1n) / BigInt(amount) }
      })
      const decision = await decideInStore(market, orderOf({ address: buyer }, ordered), fee)
      const received = new Map<WalletAddress, bigint>()
      for (const { seller, lamports } of ordered) received.set(seller, (received.get(seller) ?? 0n) + lamports)
      const charged = ordered.filter(({ seller }) => seller !== studio).reduce((sum, { lamports }) => sum + lamports, 0n)
      expect(decision).toMatchObject({ kind: 'reserve', plan: { feeLamports: (charged * BigInt(basisPoints)) / 10_000n, received } })
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('is nothing if the fee wallet buys, and its client must still say that it pays all transfers', async () => {
    const fee = { basisPoints: 250, wallet: studio }
    const { listingId } = offers.at(-1)!
    const order = orderOf({ address: studio }, [{ listingId, amount: 1 }])
    expect(await holdInStore(market, { ...order, paysTransfers: false }, fee)).toMatchObject({ refusal: { code: 'TRANSFERS_NEEDED' } })
    const hold = heldBy(await holdInStore(market, order, fee))
    expect(hold).toMatchObject({ feeLamports: 0n, feeWallet: null, feeBasisPoints: 250 })
    await lapseInStore(market, hold.id)
  })

  it('is a transfer of its own to a fee wallet that also sells, and is not taken of what it sells', async () => {
    const fee = { basisPoints: 1_000, wallet: studio }
    const [own, other] = [offerOf(studio, 77_000_000n), offers.at(-1)!]
    const hold = heldBy(await holdInStore(market, orderOf({ address: buyer }, [own, other]), fee))
    expect(transfersOf(hold)).toEqual([
      { to: studio, lamports: 77_000_000n, kind: 'seller' },
      { to: other.seller, lamports: 77_000_000n, kind: 'seller' },
      { to: studio, lamports: 7_700_000n, kind: 'fee' },
    ])
    await lapseInStore(market, hold.id)
  })

  it('rounded to nothing makes no transfer, but its client must say that it pays all', async () => {
    const fee = { basisPoints: 1, wallet: studio }
    const order = orderOf({ address: buyer }, [{ listingId: offerOf(offers.at(-1)!.seller, 1_000_000n).listingId, amount: 999 }])
    expect(await holdInStore(market, { ...order, paysTransfers: false }, fee)).toMatchObject({ refusal: { code: 'TRANSFERS_NEEDED' } })
    const hold = heldBy(await holdInStore(market, order, fee))
    expect(hold).toMatchObject({ feeLamports: 0n, feeWallet: null })
    expect(transfersOf(hold)).toHaveLength(1)
    await lapseInStore(market, hold.id)
  })

  it('stays what it was when the setting changes, in both directions', async () => {
    const wallet = await addPlayer(market)
    const order = orderOf({ address: wallet }, [{ listingId: offers.at(-1)!.listingId, amount: 60 }])
    const first = heldBy(await holdInStore(market, order, { basisPoints: 250, wallet: studio }))
    expect(first.feeLamports).toBe(962_500n)
    for (const fee of [noFee, { basisPoints: 1_000, wallet: buyer }]) {
      expect(heldBy(await holdInStore(market, order, fee))).toMatchObject({ id: first.id, feeLamports: 962_500n, feeWallet: studio })
    }
    expect(await holdInStore(market, { ...order, paysTransfers: false }, noFee)).toMatchObject({ refusal: { code: 'TRANSFERS_NEEDED' } })
    await lapseInStore(market, first.id)
    const free = heldBy(await holdInStore(market, { ...order, paysTransfers: false }, noFee))
    expect(heldBy(await holdInStore(market, { ...order, paysTransfers: false }, { basisPoints: 250, wallet: studio }))).toMatchObject({
      id: free.id,
      feeLamports: 0n,
    })
  })

  it('at a rate of 0 with a wallet asks nothing of a client', async () => {
    const wallet = await addPlayer(market)
    const order = { ...orderOf({ address: wallet }, [{ listingId: offers.at(-1)!.listingId, amount: 10 }]), paysTransfers: false }
    expect(heldBy(await holdInStore(market, order, { basisPoints: 0, wallet: studio }))).toMatchObject({ feeLamports: 0n, feeWallet: null })
  })
})

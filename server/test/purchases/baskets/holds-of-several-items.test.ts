import { type WalletAddress } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { findListing, listOwnListings } from '../../../src/listings/listing-store.ts'
import { type FeeTerms } from '../../../src/purchases/fee.ts'
import { type OrderedItem } from '../../../src/purchases/hold/hold.ts'
import { checkHold, type HoldOutcome } from '../../../src/purchases/hold/hold-store.ts'
import { orderOf } from '../trading-world.ts'
import {
  addPlayer,
  closeWindow,
  expectLedgerAddsUp,
  holdInStore,
  lapseInStore,
  newAddress,
  noFee,
  offer,
  openStoreMarket,
  placeChecked,
  settleInStore,
  type StoreMarket,
} from './store-market.ts'

let market: StoreMarket
let seller: WalletAddress
let buyer: WalletAddress

beforeAll(async () => {
  market = await openStoreMarket()
})

beforeEach(async () => {
  seller = await addPlayer(market, 100_000)
  buyer = await addPlayer(market)
})

afterAll(async () => {
  await expectLedgerAddsUp(market)
  await market.close()
})

const order = (items: readonly OrderedItem[], address = buyer) => orderOf({ address }, items)
const hold = (items: readonly OrderedItem[], address = buyer, fee?: FeeTerms) => holdInStore(market, order(items, address), fee)
const heldId = (outcome: HoldOutcome) => {
  if (outcome.kind === 'refused') throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`)
  return outcome.hold.id
}
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
    const [part] = first.kind === 'held' ? first.hold.items : []
    const twice = [{ listingId, amount: 40 }, { listingId: part?.listingId ?? '' }]
    expect(await hold(twice)).toMatchObject(refused('LISTING_HELD'))
  })

  it('is a new hold after the first has lapsed, and then that one again', async () => {
    const other = await addPlayer(market)
    const items = [
      { listingId: await offer(market, seller), amount: 7 },
      { listingId: await offer(market, other), amount: 7 },
    ]
    const first = heldId(await hold(items))
    await closeWindow(market, first)
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

  it('that was checked before the first was placed is the same hold', async () => {
    const items = [{ listingId: await offer(market, seller), amount: 100 }, { listingId: await offer(market, seller) }]
    const checked = await checkHold(market.database, order(items), noFee)
    if (checked.kind !== 'open') throw new Error('it was free')
    const first = heldId(await hold(items))
    expect(heldId(await placeChecked(market, order(items), checked))).toBe(first)
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
    const [part] = held.kind === 'held' ? held.hold.items : []
    expect(await hold([{ listingId: part?.listingId ?? '' }])).toMatchObject(refused('COOLDOWN'))
  })
})

describe('a part that nobody paid for', () => {
  it('is for sale by itself while its listing is held, and merges into it once that is free', async () => {
    const [one, other, listingId] = [await addPlayer(market), await addPlayer(market), await offer(market, seller)]
    const part = await hold([{ listingId, amount: 40 }], one)
    const rest = heldId(await hold([{ listingId }], other))
    await lapseInStore(market, heldId(part))
    const [{ listingId: partId } = { listingId: '' }] = part.kind === 'held' ? part.hold.items : []
    expect(await findListing(market.database, partId)).toMatchObject({ _id: partId, amount: 40, partOf: listingId, heldUntil: null })
    await lapseInStore(market, rest)
    expect(await findListing(market.database, partId)).toMatchObject({ _id: listingId, amount: 120, price: 0.007, heldUntil: null })
    expect(await listOwnListings(market.database, seller, 'active')).toMatchObject([
      { _id: listingId, amount: 120, beingBought: 0, sold: 0 },
    ])
  })

  it('is delivered late only if what was agreed covers what it costs now', async () => {
    const listingId = await offer(market, seller, { amount: 3, price: 1_000_000n })
    const [dearer, cheaper] = [await hold([{ listingId, amount: 1 }]), await hold([{ listingId, amount: 1 }], await addPlayer(market))]
    expect([dearer, cheaper]).toMatchObject([{ hold: { priceLamports: 333_334n } }, { hold: { priceLamports: 333_333n } }])
    await lapseInStore(market, heldId(cheaper))
    await lapseInStore(market, heldId(dearer))
    expect(await settleInStore(market, heldId(cheaper))).toMatchObject({ outcome: 'listing_gone' })
    expect(await settleInStore(market, heldId(dearer))).toMatchObject({ outcome: 'settled' })
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

import { type WalletAddress } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

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

import { type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { feeOf } from '../../../src/purchases/fee.ts'
import { checkHold, type HoldOutcome } from '../../../src/purchases/hold/hold-store.ts'
import { transfersOf } from '../../../src/purchases/purchase-item.ts'
import { orderOf } from '../trading-world.ts'
import {
  addPlayer,
  expectLedgerAddsUp,
  holdInStore,
  lapseInStore,
  noFee,
  offer,
  openStoreMarket,
  type StoreMarket,
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

let market: StoreMarket
let studio: WalletAddress
let buyer: WalletAddress
const offers: Offered[] = []

beforeAll(async () => {
  market = await openStoreMarket()
  studio = await addPlayer(market, 100_000_000)
  buyer = await addPlayer(market)
  for (const seller of [studio, await addPlayer(market, 100_000_000), await addPlayer(market, 100_000_000)]) {
    for (const [lamports, amount] of OFFERS) {
      offers.push({ listingId: await offer(market, seller, { price: lamports, amount }), seller, lamports, amount })
    }
  }
})

afterAll(async () => {
  await expectLedgerAddsUp(market)
  await market.close()
})

const heldBy = (outcome: HoldOutcome) => {
  if (outcome.kind === 'refused') throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`)
  return outcome.hold
}
const offerOf = (seller: WalletAddress, lamports: bigint) => offers.find((each) => each.seller === seller && each.lamports === lamports)!

describe('the fee of a hold', () => {
  it('is the same by the database and by the code that shares it among the items, to the lamport', async () => {
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
      const terms = await checkHold(market.database, orderOf({ address: buyer }, ordered), fee)
      expect(terms).toMatchObject({ kind: 'open', feeLamports: feeOf(ordered, fee, buyer) })
      const received = new Map<WalletAddress, bigint>()
      for (const { seller, lamports } of ordered) received.set(seller, (received.get(seller) ?? 0n) + lamports)
      expect(terms).toMatchObject({ received: [...received].map(([seller, lamports]) => ({ seller, lamports })) })
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

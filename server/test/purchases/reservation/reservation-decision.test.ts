import { base58 } from '@scure/base'
import { parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FeeTerms } from '../../../src/purchases/purchase/purchase.ts'
import { type BuyOrder, type Funds } from '../../../src/purchases/reservation/order.ts'
import {
  type CheckoutFacts,
  type ListingFacts,
  type OpenPurchase,
  type ReservationFacts,
} from '../../../src/purchases/reservation/reservation.ts'
import { decideReservation } from '../../../src/purchases/reservation/reservation-decision.ts'

const NOW = new Date('2026-01-02T03:04:05Z')
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const SOL = 1_000_000_000n

const wallet = (byte: number): WalletAddress => {
  const address = parseWalletAddress(base58.encode(Buffer.alloc(32, byte)))
  if (!address) throw new Error('32 bytes are an address')
  return address
}
const [buyer, seller, other, studio] = [wallet(1), wallet(2), wallet(3), wallet(4)]

/** What is left of it is all of it, unless something else is said. */
const listing = ({ amount = 10, lamports = 70_000_000n, ...changes }: Partial<ListingFacts> = {}): ListingFacts => ({
  id: 'a',
  seller,
  tokenType: 'APPLE_JUICE',
  amount,
  lamports,
  wholeAmount: amount,
  wholeLamports: lamports,
  divisible: true,
  status: 'active',
  partOf: null,
  frozen: false,
  heldBy: null,
  ...changes,
})

const open = (changes: Partial<OpenPurchase> = {}): OpenPurchase => ({
  id: 'purchase',
  items: [{ listingId: 'z', partOf: null, tokenType: 'APPLE_JUICE', amount: 1, lamports: SOL }],
  sellers: [other],
  lamports: SOL,
  fee: { lamports: 0n, basisPoints: 0 },
  coSigned: false,
  checkout: null,
  closed: false,
  signature: null,
  confirmed: false,
  ...changes,
})

const facts = ({
  listings = [listing()],
  ...changes
}: Partial<Omit<ReservationFacts, 'listings'>> & { listings?: ListingFacts[] } = {}) => ({
  now: NOW,
  restriction: null,
  rules: new Map(),
  boughtToday: new Map(),
  networkItems: 0,
  checkout: undefined,
  open: [],
  abandoned: [],
  failed: [],
  hasBought: true,
  balances: new Map(),
  known: undefined,
  listings: new Map(listings.map((each) => [each.id, each])),
  ...changes,
})

const noFee: FeeTerms = { basisPoints: 0, wallet: undefined }
const order = (changes: Partial<BuyOrder> = {}): BuyOrder => ({
  kind: 'hold',
  buyer,
  items: [{ listingId: 'a' }],
  paysTransfers: true,
  fee: noFee,
  ...changes,
})

const rule = { tokenType: 'APPLE_JUICE', minUnitLamports: null, maxUnitLamports: null, maxListings: null, maxDailyLamports: null }
const funds = (changes: Partial<Funds> = {}): Funds => ({
  spendable: 10n * SOL,
  networkFee: 5_000n,
  rentExemptMinimum: 890_880n,
  balances: new Map([[seller, SOL]]),
  ...changes,
})
const checkout = (changes: Partial<CheckoutFacts> = {}): { checkout: CheckoutFacts } => ({
  checkout: { id: 'c', status: 'open', tokenType: 'APPLE_JUICE', amount: 10, maxLamports: null, wallet: null, ...changes },
})
const pays = { checkout: 'link' }
const three = ['x', 'y', 'z'].map((id) => open({ id, items: open().items.map((item) => ({ ...item, listingId: id })) }))
const twice = [minutesAgo(1), minutesAgo(2)].map((at) => ({ at, listingIds: ['a'] }))
const elsewhere = [1, 2, 3].map((minutes) => ({ at: minutesAgo(minutes), listingIds: [`${minutes}`] }))
const elevenSellers = Array.from({ length: 11 }, (_, index) => listing({ id: `${index}`, seller: wallet(5 + index) }))

describe('an order is refused', () => {
  it.each<[string, Parameters<typeof facts>[0], Partial<BuyOrder>, object]>([
    ['while the market is paused', { restriction: { code: 'PAUSED', restriction: { message: 'soon' } } }, {}, { code: 'PAUSED' }],
    ['for a checkout that nobody knows', {}, pays, { code: 'CHECKOUT_NOT_FOUND' }],
    ['for a checkout that is paid', checkout({ status: 'completed' }), pays, { code: 'CHECKOUT_PAID' }],
    ['for a checkout that somebody pays', checkout({ status: 'paying' }), pays, { code: 'CHECKOUT_PAYING' }],
    ['for a checkout that has expired', checkout({ status: 'expired' }), pays, { code: 'CHECKOUT_EXPIRED' }],
    ['for a checkout of another wallet', checkout({ wallet: other }), pays, { code: 'CHECKOUT_OTHER_WALLET' }],
    ['for a checkout of another item', checkout({ tokenType: 'GRAPE_SODA' }), pays, { code: 'CHECKOUT_DIFFERS' }],
    ['for a checkout of less', checkout({ amount: 9 }), pays, { code: 'CHECKOUT_DIFFERS' }],
    ['for a checkout that may cost less', checkout({ maxLamports: 69_999_999n }), pays, { code: 'CHECKOUT_DIFFERS' }],
    [
      'for a checkout that may cost less than the price and the fee',
      checkout({ maxLamports: 70_700_000n }),
      { ...pays, fee: { basisPoints: 101, wallet: studio } },
      { code: 'CHECKOUT_DIFFERS' },
    ],
    ['of a listing that nobody knows', {}, { items: [{ listingId: 'b' }] }, { code: 'LISTING_NOT_FOUND', listingId: 'b' }],
    ['of the buyer’s own listing', { listings: [listing({ seller: buyer })] }, {}, { code: 'OWN_LISTING', listingId: 'a' }],
    ['of a part that a purchase holds', { listings: [listing({ status: 'reserved' })] }, {}, { code: 'LISTING_HELD' }],
    ['of a listing that is sold', { listings: [listing({ status: 'sold' })] }, {}, { code: 'LISTING_NOT_ACTIVE' }],
    ['of a listing that somebody holds', { listings: [listing({ heldBy: other })] }, {}, { code: 'LISTING_HELD' }],
    ['of a listing that the buyer holds', { listings: [listing({ heldBy: buyer })] }, {}, { code: 'HELD_BY_YOU' }],
    ['of more than is left', {}, { items: [{ listingId: 'a', amount: 11 }] }, { code: 'AMOUNT_NOT_LEFT' }],
    [
      'of a part of what is sold whole',
      { listings: [listing({ divisible: false })] },
      { items: [{ listingId: 'a', amount: 9 }] },
      { code: 'NOT_DIVISIBLE' },
    ],
    ['of a frozen seller', { listings: [listing({ frozen: true })] }, {}, { code: 'LISTING_FROZEN' }],
    [
      'below the least unit price',
      { rules: new Map([['APPLE_JUICE', { ...rule, minUnitLamports: 7_000_001n }]]) },
      {},
      { code: 'RULE_BROKEN', listingId: 'a' },
    ],
    [
      'above the most of a day',
      { rules: new Map([['APPLE_JUICE', { ...rule, maxDailyLamports: 70_000_000n }]]), boughtToday: new Map([['APPLE_JUICE', 1n]]) },
      {},
      { code: 'RULE_BROKEN', restriction: { left: '69999999' } },
    ],
    [
      'above the most of a day with what is under way',
      { rules: new Map([['APPLE_JUICE', { ...rule, maxDailyLamports: SOL }]]), open: [open()] },
      {},
      { code: 'RULE_BROKEN', restriction: { left: '0' } },
    ],
    [
      'of too many sellers',
      { listings: elevenSellers },
      { items: elevenSellers.map(({ id: listingId }) => ({ listingId })) },
      { code: 'TOO_MANY_SELLERS' },
    ],
    ['of what the buyer left unpaid twice', { abandoned: twice }, {}, { code: 'COOLDOWN', listingId: 'a', retrySeconds: 540 }],
    [
      'of a part of what the buyer left unpaid twice',
      { listings: [listing({ partOf: 'a', id: 'b' })], abandoned: twice },
      { items: [{ listingId: 'b' }] },
      { code: 'COOLDOWN' },
    ],
    [
      'of a second item after three were left unpaid',
      { listings: [listing(), listing({ id: 'b' })], abandoned: elsewhere },
      { items: [{ listingId: 'a' }, { listingId: 'b' }] },
      { code: 'TOO_MANY_HOLDS', allowed: 1 },
    ],
    ['beside three purchases', { open: three }, {}, { code: 'TOO_MANY_HOLDS' }],
    [
      'of a new buyer whose network holds as much as it may',
      { hasBought: false, networkItems: 10 },
      { network: { hash: Buffer.alloc(32), mostItems: 10 } },
      { code: 'TOO_MANY_HOLDS', ofNetwork: true },
    ],
    ['that looks like another', { open: [open({ sellers: [seller], lamports: 70_000_000n })] }, {}, { code: 'AMBIGUOUS_HOLD' }],
    [
      'of a client that does not pay the fee',
      {},
      { paysTransfers: false, fee: { basisPoints: 1, wallet: studio } },
      { code: 'TRANSFERS_NEEDED' },
    ],
    ['above what the buyer will pay', {}, { mostLamports: 70_000_000n, fee: { basisPoints: 1, wallet: studio } }, { code: 'PRICE_MOVED' }],
    ['that the wallet cannot pay', {}, { funds: funds({ spendable: 70_004_999n }) }, { code: 'INSUFFICIENT_SOL' }],
    [
      'that the wallet cannot pay beside another',
      { open: [open()] },
      { funds: funds({ spendable: SOL + 70_009_999n }) },
      { code: 'INSUFFICIENT_SOL' },
    ],
    [
      'that leaves the seller’s account too little',
      { listings: [listing({ lamports: 10_000_000n, amount: 100 })] },
      { items: [{ listingId: 'a', amount: 8 }], funds: funds({ balances: new Map() }) },
      { code: 'PART_TOO_SMALL', neededAmount: 9 },
    ],
    [
      'again, once its payment is recorded',
      { open: [open({ items: [{ ...open().items[0]!, listingId: 'a' }], signature: 'recorded' as Signature })] },
      {},
      { code: 'PAYMENT_UNDER_WAY' },
    ],
    [
      'again, once its time to pay is over',
      { open: [open({ items: [{ ...open().items[0]!, listingId: 'a' }], closed: true })] },
      {},
      { code: 'HOLD_ENDED' },
    ],
  ])('%s', (_, given, asked, refusal) => {
    expect(decideReservation(facts(given), order(asked))).toMatchObject({ kind: 'refused', refusal })
  })
})

describe('an order is reserved', () => {
  it.each<[string, Parameters<typeof facts>[0], Partial<BuyOrder>]>([
    [
      'at exactly the unit prices of the rules',
      { rules: new Map([['APPLE_JUICE', { ...rule, minUnitLamports: 7_000_000n, maxUnitLamports: 7_000_000n }]]) },
      {},
    ],
    ['up to the most of a day', { rules: new Map([['APPLE_JUICE', { ...rule, maxDailyLamports: 70_000_000n }]]) }, {}],
    ['as soon as the cooldown is over', { abandoned: [minutesAgo(10), minutesAgo(12)].map((at) => ({ at, listingIds: ['a'] })) }, {}],
    ['beside two purchases', { open: three.slice(1) }, {}],
    [
      'whatever new buyers of its network hold, once the wallet has bought',
      { networkItems: 10 },
      { network: { hash: Buffer.alloc(32), mostItems: 10 } },
    ],
    [
      'as the last that new buyers of its network may hold',
      { hasBought: false, networkItems: 9 },
      { network: { hash: Buffer.alloc(32), mostItems: 10 } },
    ],
    [
      'beside one that looks like it but has a fee',
      { open: [open({ sellers: [seller], lamports: 70_000_000n, fee: { lamports: 1n, basisPoints: 1 } })] },
      {},
    ],
    ['for exactly what the buyer will pay', {}, { mostLamports: 70_000_000n }],
    ['for a checkout, at exactly the most that it may cost', checkout({ maxLamports: 70_000_000n, wallet: buyer }), pays],
    ['with exactly what the wallet has', {}, { funds: funds({ spendable: 70_005_000n }) }],
    ['from a seller without an account who receives enough', {}, { funds: funds({ balances: new Map() }) }],
  ])('%s', (_, given, asked) => {
    expect(decideReservation(facts(given), order(asked))).toMatchObject({ kind: 'reserve', plan: { lamports: 70_000_000n } })
  })

  it('at its share of the whole price, whatever was sold of the listing since', () => {
    const rest = listing({ amount: 5, lamports: 4n, wholeAmount: 9, wholeLamports: 7n })
    const items = [{ listingId: 'a', amount: 2 }]
    expect(decideReservation(facts({ listings: [rest] }), order({ items }))).toMatchObject({ plan: { lamports: 2n } })
    expect(decideReservation(facts({ listings: [rest] }), order())).toMatchObject({ plan: { lamports: 4n } })
  })

  it('once: the same order again is the same purchase, also of a part by the name of its listing', () => {
    const part = open({ items: [{ listingId: 'part', partOf: 'a', tokenType: 'APPLE_JUICE', amount: 4, lamports: SOL }] })
    for (const items of [[{ listingId: 'part' }], [{ listingId: 'a', amount: 4 }]]) {
      expect(decideReservation(facts({ open: [part] }), order({ items }))).toEqual({ kind: 'repeated', purchaseId: 'purchase' })
    }
    expect(decideReservation(facts({ open: [part] }), order({ items: [{ listingId: 'a', amount: 5 }] }))).toMatchObject({ kind: 'reserve' })
  })

  it('once for a checkout, and never by a purchase that is not for it', () => {
    const same = { items: [{ listingId: 'a', partOf: null, tokenType: 'APPLE_JUICE', amount: 10, lamports: SOL }] }
    const decide = (held: string | null, asked: string | undefined) =>
      decideReservation(facts({ ...checkout({ status: 'paying' }), open: [open({ ...same, checkout: held })] }), order({ checkout: asked }))
    expect(decide('link', 'link')).toMatchObject({ kind: 'repeated' })
    expect(decide(null, 'link')).toMatchObject({ refusal: { code: 'CHECKOUT_PAYING' } })
    for (const held of [null, 'link']) expect(decide(held, undefined)).toMatchObject({ kind: 'repeated' })
  })
})

describe('whatever is ordered', () => {
  const listings = fc.array(
    fc.record({
      seller: fc.constantFrom(buyer, seller, other, studio),
      amount: fc.integer({ min: 1, max: 1_000 }),
      perUnit: fc.bigInt({ min: 1n, max: SOL }),
      rest: fc.bigInt({ min: 0n, max: 999n }),
      divisible: fc.boolean(),
      held: fc.constantFrom(null, other),
    }),
    { minLength: 1, maxLength: 6 },
  )
  const asked = fc.array(fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }), { minLength: 6, maxLength: 6 })
  const market = fc.record({
    listings,
    asked,
    basisPoints: fc.constantFrom(0, 1, 250, 1_000),
    purse: fc.bigInt({ min: 0n, max: 3_000n * SOL }),
  })

  it('what is reserved is for sale, priced to the lamport, and paid for by what the wallet has', () => {
    fc.assert(
      fc.property(market, ({ listings, asked, basisPoints, purse }) => {
        const rows = listings.map(({ perUnit, rest, held, ...row }, index) =>
          listing({ ...row, id: `${index}`, lamports: perUnit * BigInt(row.amount) + rest, heldBy: held }),
        )
        const items = rows.map(({ id: listingId }, index) => ({ listingId, amount: asked[index] }))
        const given = { items, fee: { basisPoints, wallet: studio }, funds: funds({ spendable: purse, balances: new Map() }) }
        const decision = decideReservation(facts({ listings: rows }), order(given))
        const reason = decision.kind === 'refused' ? decision.refusal.code : undefined
        const blocked = rows.some((row, index) => {
          const amount = asked[index] ?? row.amount
          return row.seller === buyer || row.heldBy !== null || amount > row.amount || (amount < row.amount && !row.divisible)
        })
        if (blocked) expect(['OWN_LISTING', 'LISTING_HELD', 'AMOUNT_NOT_LEFT', 'NOT_DIVISIBLE']).toContain(reason)
        else if (reason !== undefined) expect(['INSUFFICIENT_SOL', 'PART_TOO_SMALL']).toContain(reason)
        if (decision.kind !== 'reserve') return
        const { plan } = decision
        const cost = rows.map(
          (row, index) => (row.lamports * BigInt(asked[index] ?? row.amount) + BigInt(row.amount) - 1n) / BigInt(row.amount),
        )
        expect(plan.items.map(({ lamports }) => lamports)).toEqual(cost)
        expect([...plan.received.values()].reduce((sum, lamports) => sum + lamports, 0n)).toBe(plan.lamports)
        const charged = cost.filter((_, index) => rows[index]?.seller !== studio).reduce((sum, lamports) => sum + lamports, 0n)
        expect(plan.feeLamports).toBe((charged * BigInt(basisPoints)) / 10_000n)
        expect(plan.lamports + plan.feeLamports + 5_000n).toBeLessThanOrEqual(purse)
      }),
      { numRuns: 10_000 },
    )
  })
})

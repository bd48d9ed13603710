import { type Checkout, type Listing, type Sale } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { checkAgreedPrices } from '../../chaos/checks/agreed-prices.ts'
import { checkCheckouts } from '../../chaos/checks/checkouts.ts'
import { checkFigures, type FiguresSeen } from '../../chaos/checks/figures/check-figures.ts'
import { type Probe } from '../../chaos/checks/probes.ts'
import { type CaseSeen, type ListingSeen, type ProductRecord, type PurchaseSeen } from '../../chaos/checks/product-record.ts'
import { measureRecovery, outagesIn } from '../../chaos/checks/recovery.ts'
import { checkRestrictions, deliveredMeanwhile } from '../../chaos/checks/restrictions.ts'
import { checkSales } from '../../chaos/checks/sales.ts'
import { type AgreedTerms, createJournal, type JournalCheckout } from '../../chaos/players/journal.ts'

interface Seen {
  purchases?: PurchaseSeen[]
  cases?: CaseSeen[]
  listings?: ListingSeen[]
}

/** What the product's players see at the end of a run that had only this. */
function recordOf({ purchases = [], cases = [], listings = [] }: Seen): ProductRecord {
  return {
    balances: new Map(),
    seenBy: new Map(),
    purchases: new Map(purchases.map((purchase) => [purchase.purchaseId, purchase])),
    cases: new Map(cases.map((found) => [found.caseId, found])),
    listings: new Map(listings.map((listing) => [listing._id, listing])),
  }
}

const settledAt = '2030-01-01T00:00:02.500Z'
const apples = { listingId: 'l1', seller: 'seller 1', tokenType: 'APPLE_JUICE', amount: 3, lamports: '300' }
const sodas = { listingId: 'l2', seller: 'seller 2', tokenType: 'GRAPE_SODA', amount: 1, lamports: '100' }

/** A delivered purchase of two items, with a fee. */
const soldPurchase: PurchaseSeen = {
  purchaseId: 'p1',
  buyer: 'buyer',
  items: [
    { ...apples, partOf: null },
    { ...sodas, partOf: 'l3' },
  ],
  fee: { lamports: '10' },
  status: 'settled',
  endReason: null,
  signature: 'paid',
  coSigned: false,
  createdAt: '2030-01-01T00:00:01.500Z',
  settledAt,
}

/** Its payment is undone. */
const vanished: CaseSeen = {
  caseId: 'c1',
  kind: 'vanished',
  status: 'open',
  purchaseId: 'p1',
  buyer: 'buyer',
  seller: 'seller 1',
  lamports: '300',
  fee: null,
  signature: 'paid',
  refundSignature: null,
}

const sold = recordOf({ purchases: [soldPurchase] })
const undone = recordOf({ purchases: [soldPurchase], cases: [vanished] })

describe('chaos', () => {
  const shared = { purchaseId: 'p1', buyer: 'buyer', signature: 'paid', settledAt, reverses: null, checkout: null }
  const first: Sale = { ...shared, ...apples, saleId: 'p1.1', fee: { lamports: '7', basisPoints: 250 } }
  const second: Sale = { ...shared, ...sodas, saleId: 'p1.2', fee: { lamports: '3', basisPoints: 250 } }
  const reversalOf = (sale: Sale): Sale => ({ ...sale, saleId: `${sale.saleId}.reversed`, reverses: sale.saleId })
  const record = recordOf({ purchases: [soldPurchase, { ...soldPurchase, purchaseId: 'p2', status: 'held', signature: null }] })

  function check(kept: Sale[], { fresh = kept, product = record, refusals = [] as string[] } = {}): string[] {
    return checkSales({ kept, fresh, refusals }, product)
  }

  it('accepts a game that has every item once, and its reversal after it', () => {
    expect(check([first, second])).toEqual([])
    expect(check([second, first, reversalOf(first), reversalOf(second)], { product: undone })).toEqual([])
  })

  it.each([
    ['misses a sale', [first], 'the game has missed 1 sales, such as p1.2:'],
    ['is told of one that was not', [first, second, { ...first, saleId: 'p2.1' }], 'the game was told of 1 sales, such as p2.1:'],
    ['is told twice of one', [first, second, first], 'the game was told twice of 1 sales, such as p1.1'],
    ['is told another amount', [{ ...first, amount: 4 }, second], 'the game was told of 1 sales, such as p1.1: 4 APPLE_JUICE'],
    ['is told another share of the fee', [{ ...first, fee: second.fee }, second], 'the shares of the fee do not add up for 1 sales'],
    ['is told of a reversal that was none', [first, second, reversalOf(second)], 'the game was told of 1 sales, such as p1.2.reversed'],
  ])('reports a game that %s', (_, kept, sentence) => {
    expect(check(kept).join('\n')).toContain(sentence)
  })

  it('reports a reversal that is missing, and one that comes before its sale', () => {
    expect(check([first, second, reversalOf(first)], { product: undone }).join()).toContain(
      'the game has missed 1 sales, such as p1.2.reversed',
    )
    const early = [reversalOf(first), first, second, reversalOf(second)]
    expect(check(early, { product: undone })).toEqual(['the game was told too early of 1 sales, such as p1.1.reversed'])
  })

  it('reports an order that others do not see', () => {
    expect(check([first, second], { fresh: [second, first] })).toEqual([
      'entry 1 of the sales is p1.1 to the game, and p1.2 to whoever begins now',
    ])
    expect(check([first, second], { fresh: [first] })).toHaveLength(1)
  })

  it('reports what the game was refused', () => {
    expect(check([first, second], { refusals: ['409'] })).toEqual(['409'])
  })
})

describe('chaos', () => {
  const now = Date.parse(settledAt) + 1_000
  const paid = { feeLamports: '5', signature: 'paid', coSigned: false, settledAt }
  const apple = { id: 'p1.01', tokenType: 'APPLE_JUICE', amount: 3, price: 3e-7, unitPrice: 1e-7, lamports: '300', ...paid }
  const soda = { id: 'p1.02', tokenType: 'GRAPE_SODA', amount: 1, price: 1e-7, unitPrice: 1e-7, lamports: '100', ...paid }
  const listing: Listing = {
    _id: 'l9',
    seller: 'seller 1',
    tokenName: 'Apple Juice',
    tokenType: 'APPLE_JUICE',
    amount: 3,
    price: 0.001,
    lamports: '1000000',
    unitPrice: 0.000333333,
    divisible: true,
    status: 'active',
    heldUntil: null,
    createdAt: settledAt,
  }
  const held = { ...listing, _id: 'l8', price: 0.0001, heldUntil: settledAt }
  const candle = { open: 1e-7, high: 1e-7, low: 1e-7, close: 1e-7, amount: 3, sol: 3e-7, trades: 1, average: 1e-7 }
  const depth = { levels: [{ unitPrice: 0.000333333, lamports: '333333', amount: 3, listings: 1 }], floor: 0.000333333, amount: 3 }
  const summary = { tokenType: 'APPLE_JUICE', floor: 0.000333333, last: 1e-7, change24h: null, volume24h: 3e-7, amount: 3 }

  const right: FiguresSeen = {
    trades: [soda, apple],
    listings: [listing, held],
    candles: new Map([['APPLE_JUICE 1d', [{ start: '2030-01-01T00:00:00.000Z', ...candle }]]]),
    depths: new Map([['APPLE_JUICE', depth]]),
    summary: [summary],
  }
  const nothing: FiguresSeen = { trades: [], listings: [], candles: new Map([['APPLE_JUICE 1d', []]]), depths: new Map(), summary: [] }
  const check = (seen: Partial<FiguresSeen>, product = sold) => checkFigures({ ...right, ...seen }, product, now)

  it('accepts figures that follow from what was sold and is for sale', () => {
    expect(check({})).toEqual([])
    expect(check(nothing, undone)).toEqual([])
  })

  it.each<[string, Partial<FiguresSeen>, string]>([
    ['a trade is missing', { trades: [apple] }, 'the trades'],
    ['a trade has other lamports', { trades: [{ ...soda, lamports: '101' }, apple] }, 'the trades'],
    ['a trade has another price', { trades: [{ ...soda, price: 2e-7 }, apple] }, 'the trades'],
    ['a candle is missing', { candles: new Map([['APPLE_JUICE 1d', []]]) }, 'the candles of APPLE_JUICE 1d'],
    [
      'a candle starts at another time',
      { candles: new Map([['APPLE_JUICE 5m', [{ start: '2030-01-01T00:05:00.000Z', ...candle }]]]) },
      'the candles of APPLE_JUICE 5m',
    ],
    ['a held listing counts', { depths: new Map([['APPLE_JUICE', { ...depth, amount: 6 }]]) }, 'the depth of APPLE_JUICE'],
    ['the floor is another', { summary: [{ ...summary, floor: 0.0001 }] }, 'the summary of APPLE_JUICE'],
    ['the volume is another', { summary: [{ ...summary, volume24h: 0 }] }, 'the summary of APPLE_JUICE'],
  ])('finds that %s', (_, seen, what) => {
    expect(check(seen)).toEqual([expect.stringContaining(`${what}: `)])
  })

  it('finds trades whose payment the chain has undone', () => {
    expect(check({}, undone)).toEqual([expect.stringContaining('the trades: ')])
  })

  it('counts the change of a day from the last trade before it', () => {
    const yesterday = { ...apple, id: 'p0.01', price: 6e-7, lamports: '600', settledAt: '2029-12-31T00:00:00.000Z' }
    const product = recordOf({
      purchases: [
        soldPurchase,
        { ...soldPurchase, purchaseId: 'p0', items: [{ ...soldPurchase.items[0]!, lamports: '600' }], settledAt: yesterday.settledAt },
      ],
    })
    const seen = { trades: [soda, apple, yesterday], candles: new Map() }
    expect(check({ ...seen, summary: [{ ...summary, change24h: -0.5 }] }, product)).toEqual([])
    expect(check({ ...seen, summary: [summary] }, product)).toHaveLength(1)
  })
})

describe('chaos', () => {
  const at = (time: string) => Date.parse(`2030-01-01T00:00:${time}Z`)
  const during = { from: at('01.000'), until: at('02.000') }
  const listing: ListingSeen = {
    _id: 'l1',
    seller: 'seller 1',
    tokenType: 'APPLE_JUICE',
    amount: 3,
    status: 'sold',
    createdAt: '2030-01-01T00:00:01.990Z',
  }
  const record = recordOf({ purchases: [soldPurchase], listings: [listing] })

  const journal = createJournal()
  journal.holds.set('p1', { items: 2, answeredAt: at('01.600'), story: '' })
  journal.acknowledged.listed.set('l1', at('01.999'))

  it('reports what was held or listed while the market was paused', () => {
    expect(checkRestrictions([{ wallet: undefined, ...during }], record, journal)).toEqual([
      'purchase p1 was held while the market was paused (2030-01-01T00:00:01.500Z)',
      'listing l1 was created while the market was paused (2030-01-01T00:00:01.990Z)',
    ])
  })

  it('reports what a blocked wallet held or listed, and nobody else', () => {
    const restricted = ['buyer', 'seller 2'].map((wallet) => ({ wallet, ...during }))
    expect(checkRestrictions(restricted, record, journal)).toEqual([
      'purchase p1 was held while buyer was blocked (2030-01-01T00:00:01.500Z)',
    ])
  })

  it.each([
    ['began before the pause', { from: at('01.501'), until: at('03.000') }],
    ['was answered after it', { from: at('01.000'), until: at('01.600') }],
  ])('lets a hold be that %s', (_, pause) => {
    expect(checkRestrictions([{ wallet: undefined, ...pause }], sold, journal)).toEqual([])
  })

  it('accuses nobody of a hold whose answer was lost', () => {
    expect(checkRestrictions([{ wallet: undefined, ...during }], record, createJournal())).toEqual([])
  })

  it('counts what was delivered in a pause', () => {
    const later = { from: at('02.000'), until: at('03.000') }
    expect(deliveredMeanwhile([{ wallet: undefined, ...later }], record)).toBe(1)
    expect(deliveredMeanwhile([{ wallet: 'buyer', ...later }], record)).toBe(0)
  })
})

describe('chaos', () => {
  const agreed = {
    transfers: [
      { to: 'seller 1', lamports: '300' },
      { to: 'seller 2', lamports: '100' },
      { to: 'fees', lamports: '10' },
    ],
    most: 410n,
    checkout: undefined,
  }
  const check = (terms: AgreedTerms, product = sold) => {
    const journal = createJournal()
    journal.payments.set('paid', { signature: 'paid', purchaseId: 'p1', caseId: undefined, signedAt: 0, agreed: terms })
    return checkAgreedPrices(product, journal, 'fees')
  }

  it('accepts a purchase at the price that its buyer was offered', () => {
    expect(check(agreed)).toEqual([])
    expect(check({ ...agreed, transfers: agreed.transfers.toReversed(), most: undefined })).toEqual([])
    expect(check({ ...agreed, transfers: [] }, recordOf({ purchases: [{ ...soldPurchase, status: 'ended' }] }))).toEqual([])
  })

  it('reports one at another price, even a lower one, and one that its buyer finds too dear', () => {
    const dearer = [{ to: 'seller 1', lamports: '301' }, ...agreed.transfers.slice(1)]
    expect(check({ ...agreed, transfers: dearer }).join()).toMatch(
      /^purchase p1 cost .*, but its buyer was offered .*301 lamports to seller 1/,
    )
    expect(check({ ...agreed, most: 409n })).toEqual(['purchase p1 cost 410 lamports, but its buyer wanted to pay 409 at most'])
  })
})

describe('chaos', () => {
  const bought: PurchaseSeen = { ...soldPurchase, items: [{ ...apples, partOf: null }] }
  const made: Checkout = {
    id: 'c1',
    url: 'https://market.example/checkout/x',
    status: 'completed',
    tokenType: 'APPLE_JUICE',
    amount: 3,
    maxLamports: '310',
    wallet: null,
    clientReference: 'order 1',
    returnUrl: 'https://game.example/shop',
    expiresAt: settledAt,
    purchaseId: 'p1',
    buyer: 'buyer',
    lamports: '310',
    signature: 'paid',
    createdAt: settledAt,
  }
  const unpaid: Checkout = { ...made, status: 'expired', purchaseId: null, buyer: null, lamports: null, signature: null }
  const asked: JournalCheckout = {
    tokenType: 'APPLE_JUICE',
    amount: 3,
    maxLamports: 310n,
    wallet: 'buyer',
    id: 'c1',
    isEnded: false,
  }

  interface Run {
    wish?: Partial<JournalCheckout>
    purchases?: PurchaseSeen[]
  }

  function check(checkouts: Checkout[], { wish, purchases = [bought] }: Run = {}): string[] {
    const journal = createJournal()
    journal.checkouts.set('order 1', { ...asked, ...wish })
    const agreed = { transfers: [], most: undefined, checkout: 'order 1' }
    for (const signature of ['paid', 'paid too']) {
      journal.payments.set(signature, { signature, purchaseId: undefined, caseId: undefined, signedAt: 0, agreed })
    }
    return checkCheckouts(checkouts, recordOf({ purchases }), journal)
  }

  it('accepts a checkout that is completed by one delivery, and one that nobody has paid', () => {
    expect(check([made])).toEqual([])
    for (const status of ['open', 'expired'] as const) expect(check([{ ...unpaid, status }], { purchases: [] })).toEqual([])
    expect(check([unpaid], { purchases: [{ ...bought, status: 'ended' }], wish: { isEnded: true } })).toEqual([])
    expect(check([], { purchases: [], wish: { id: undefined } })).toEqual([])
  })

  it.each<[string, string, Parameters<typeof check>]>([
    ['is lost', 'was made and is lost', [[]]],
    ['was made twice', 'was made twice', [[made, { ...unpaid, id: 'c2' }]]],
    ['was told under another id', 'was made as c2', [[made], { wish: { id: 'c2' } }]],
    ['is paid for ever', 'is still being paid', [[{ ...made, status: 'paying' }]]],
    ['was completed after its end', 'was ended and is completed', [[made], { wish: { isEnded: true } }]],
    [
      'was paid twice',
      'was paid with 2 purchases',
      [[made], { purchases: [bought, { ...bought, purchaseId: 'p2', signature: 'paid too' }] }],
    ],
    ['is completed without a delivery', 'is completed by p1, which was not delivered for it', [[made], { purchases: [] }]],
    ['is open although it was paid', 'is open, but purchase p1 was delivered for it', [[{ ...unpaid, status: 'open' }]]],
    ['is completed by another purchase', 'is completed, but purchase p1 was delivered for it', [[{ ...made, purchaseId: 'p9' }]]],
    ['brought another amount', 'is for 4 APPLE_JUICE, but brought 3 APPLE_JUICE', [[made], { wish: { amount: 4 } }]],
    ['brought another item', 'is for 3 GRAPE_SODA, but brought 3 APPLE_JUICE', [[made], { wish: { tokenType: 'GRAPE_SODA' } }]],
    ['was too dear', 'may cost 309 lamports, but purchase p1 cost 310', [[made], { wish: { maxLamports: 309n } }]],
    ['tells another price', 'says that it cost 300 lamports instead of 310', [[{ ...made, lamports: '300' }]]],
    ['was paid by another wallet', 'was paid by buyer', [[made], { wish: { wallet: 'somebody' } }]],
  ])('reports a checkout that %s', (_what, sentence, given) => {
    expect(check(...given)).toContain(`checkout ${given[0][0]?.id ?? 'c1'} ${sentence}`)
  })
})

const EVERY = 250
const span = { from: 10_000, until: 40_000 }

/** Attempts every 250 ms, of which those that begin in one of the spans fail. */
function probesThatFailIn(...spans: readonly (readonly [number, number])[]): Probe[] {
  return Array.from({ length: 200 }, (_, index) => {
    const startedAt = index * EVERY
    const fails = spans.some(([from, until]) => startedAt >= from && startedAt < until)
    return { startedAt, endedAt: startedAt + 10, failure: fails ? '503 DATABASE_DOWN' : undefined }
  })
}

const arrivals = [Array.from({ length: 500 }, (_, index) => index * 100)]
const quiet = { ...span, arrivals, database: probesThatFailIn(), servers: [probesThatFailIn(), probesThatFailIn()] }

describe('an outage', () => {
  it('ends when the first attempt after the last failure has succeeded', () => {
    expect(outagesIn(probesThatFailIn([12_000, 15_000]), span)).toEqual([{ from: 12_000, until: 15_010 }])
  })

  it('is one if it works for a moment in between, and two if for longer', () => {
    expect(outagesIn(probesThatFailIn([12_000, 13_000], [14_000, 15_000]), span)).toEqual([{ from: 12_000, until: 15_010 }])
    expect(outagesIn(probesThatFailIn([12_000, 13_000], [16_000, 17_000]), span)).toHaveLength(2)
  })

  it('lasts to the end if nothing works again', () => {
    expect(outagesIn(probesThatFailIn([12_000, 99_000]), span)).toEqual([{ from: 12_000, until: span.until }])
  })

  it('is an attempt that hangs, even if it is still under way or works in the end', () => {
    const hanging = { startedAt: 12_000, endedAt: Number.POSITIVE_INFINITY, failure: undefined }
    const rest = probesThatFailIn().filter(({ startedAt }) => startedAt > 12_000)
    expect(outagesIn([hanging, ...rest], { from: 10_000, until: 13_000 })).toEqual([])
    expect(outagesIn([hanging, ...rest], { from: 10_000, until: 14_100 })).toEqual([{ from: 12_000, until: 12_260 }])
    expect(outagesIn([{ ...hanging, endedAt: 15_000 }, ...rest], span)).toEqual([{ from: 12_000, until: 12_260 }])
  })
})

describe('a recovery', () => {
  it('is nothing where nothing failed', () => {
    expect(measureRecovery(quiet, { hitsServers: false })).toEqual({ databaseMillis: 0, writesMillis: 0, eventsMillis: 100 })
  })

  it('counts what the slowest server adds to the outage of the database', () => {
    const database = probesThatFailIn([12_000, 20_000])
    const servers = [probesThatFailIn([12_000, 20_500]), probesThatFailIn([11_500, 24_000])]
    const { databaseMillis, writesMillis } = measureRecovery({ ...quiet, database, servers }, { hitsServers: false })
    expect([databaseMillis, writesMillis]).toEqual([8_010, 4_000])
  })

  it('counts an outage of a server that the database had no part in', () => {
    const servers = [probesThatFailIn([30_000, 36_000]), probesThatFailIn()]
    const database = probesThatFailIn([12_000, 20_000])
    expect(measureRecovery({ ...quiet, database, servers }, { hitsServers: false }).writesMillis).toBe(6_010)
  })

  it('lets another server stand in only where the fault takes servers down', () => {
    const servers = [probesThatFailIn([12_000, 20_000]), probesThatFailIn([20_000, 30_000])]
    expect(measureRecovery({ ...quiet, servers }, { hitsServers: true }).writesMillis).toBe(0)
    expect(measureRecovery({ ...quiet, servers }, { hitsServers: false }).writesMillis).toBe(10_010)
    const both = [probesThatFailIn([12_000, 20_000]), probesThatFailIn([15_000, 30_000])]
    expect(measureRecovery({ ...quiet, servers: both }, { hitsServers: true }).writesMillis).toBeGreaterThan(3_500)
  })

  it('counts the longest silence of a stream, up to the end', () => {
    const deaf = [...arrivals, [10_500, 12_000]]
    expect(measureRecovery({ ...quiet, arrivals: deaf }, { hitsServers: false }).eventsMillis).toBe(28_000)
  })
})

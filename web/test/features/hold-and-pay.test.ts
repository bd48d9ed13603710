import { type PublicConfig } from '@juicebar/contract/schemas'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import { useBasket } from '../../src/features/purchase/order/basket-store.ts'
import { type Order, orderItemOf } from '../../src/features/purchase/order/order.ts'
import { overtakenText } from '../../src/features/purchase/order/offer.ts'
import { PurchaseStopped } from '../../src/features/purchase/order/wait-while-busy.ts'
import { useWallet } from '../../src/wallet/wallet-store.ts'
import { listing } from '../support/listing.ts'
import {
  address,
  type Answer,
  broken,
  BUY,
  CANCEL,
  coSigning,
  CONFIRM,
  fails,
  hold,
  inTurn,
  offered,
  openMarket,
  order,
  refused,
  run as runIn,
  settled,
  signs,
  SUBMIT,
} from '../support/purchase-run.ts'

/** A market that does not co-sign, so that every payment needs a hold. */
const config: PublicConfig = { ...coSigning, coSigner: null }
const run = (wanted = order) => runIn({ wanted, config })
const open = (sign: typeof signs | undefined, replies: Record<string, Answer> = {}) => openMarket(sign, replies).calls

describe('a purchase', () => {
  test('goes from the hold to the delivery', async () => {
    open(signs)
    const { progress, outcome } = run()
    await expect(outcome).resolves.toEqual({ ...settled, signature: 'signature' })
    expect(progress).toMatchObject([{ payMillisLeft: 60_000 }, { step: 'sent' }, { step: 'delivered' }])
  })

  test('whose wallet has sent does not seem to ask it again before the market knows of the payment', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    open(undefined, { [CONFIRM]: inTurn({ purchase: { ...settled, status: 'held', stage: 'none' } }, { purchase: settled }) })
    const { progress, outcome } = run()
    await vi.runAllTimersAsync()
    await outcome
    expect(progress).toMatchObject([{ payMillisLeft: 60_000 }, { step: 'sent' }, { step: 'delivered' }])
  })

  test('for a checkout names it when it holds', async () => {
    const { made } = openMarket(signs)
    await run({ ...order, checkout: 'checkout-1' }).outcome
    expect(made.find(({ name }) => name === BUY)?.body).toMatchObject({ checkout: 'checkout-1', transfers: true })
  })

  test('reports what the hold costs, which may be less than the buyer confirmed', async () => {
    const lamports = '499999999'
    const cheaper = {
      items: hold.items.map((item) => ({ ...item, lamports })),
      transfers: hold.transfers.map((to) => ({ ...to, lamports })),
    }
    open(signs, { [BUY]: { transactionDetails: { ...hold, ...cheaper } } })
    const { progress, outcome } = run({ ...order, checkout: 'checkout-1' })
    await outcome
    const reported = { items: [{ lamports: 499_999_999n }], fee: 0n, checkout: 'checkout-1', origin: order.origin }
    expect(progress[0]).toMatchObject({ order: reported })
  })

  test('does not ask the wallet for anything but what the buyer confirmed', async () => {
    const sign = vi.fn<typeof signs>(signs)
    const transfers = [{ to: offered.seller, lamports: '500000001', kind: 'seller' }]
    open(sign, { [BUY]: { transactionDetails: { ...hold, transfers } } })
    await expect(run().outcome).rejects.toThrow('The listing has changed since you confirmed it. Your wallet was not asked; no SOL moved.')
    expect(sign).not.toHaveBeenCalled()
  })

  test('that the buyer declines gives the hold back', async () => {
    const calls = open(fails(4001))
    await expect(run().outcome).rejects.toThrow(
      'You declined the request in your wallet. No SOL moved. The listing is free again once the network shows that nothing was paid.',
    )
    expect(calls).toContain(CANCEL)
  })

  test('that fails in the wallet keeps its hold, so that the buyer can try again', async () => {
    const calls = open(fails(4900))
    await expect(run().outcome).rejects.toThrow(/No SOL moved\. Your items stay reserved for you until the time to pay runs out/)
    expect(calls).not.toContain(CANCEL)
  })
})

describe('an order that the server refuses', () => {
  const second = { ...orderItemOf(listing({ _id: 'listing-2' }), 4), seller: address }
  const several: Order = { ...order, items: [...order.items, second] }
  const gone = () => Response.json({ error: 'It is gone.', code: 'LISTING_NOT_ACTIVE', listingId: 'listing-2' }, { status: 409 })

  test('names its listing, and marks it in the basket', async () => {
    useBasket.setState({ listings: several.items })
    open(signs, { [BUY]: gone })
    await expect(run(several).outcome).rejects.toThrow(`${overtakenText} 4 Apple Juice of 8qEDkoVT…: It is gone.`)
    expect(useBasket.getState().listings.map(({ gone: why }) => why)).toEqual([undefined, 'It is gone.'])
  })

  test.each(['PRICE_MOVED', 'LISTING_FROZEN', 'NOT_DIVISIBLE'])(
    'as %s is told of a quote that the market has left behind',
    async (code) => {
      const calls = open(signs, { [BUY]: refused(409, code) })
      await expect(run({ ...several, origin: 'quote' }).outcome).rejects.toThrow(
        /^The market has moved\. Nothing was held, and no SOL moved\./,
      )
      expect(calls).toEqual([BUY])
    },
  )

  test.each(['LISTING_HELD', 'LISTING_NOT_ACTIVE', 'AMOUNT_NOT_LEFT'])('as %s is told of a quote with the best price now', async (code) => {
    open(signs, { [BUY]: refused(409, code) })
    await expect(run({ ...several, origin: 'quote' }).outcome).rejects.toThrow(`${overtakenText} This is the best price now`)
  })

  test('leaves the basket as it is; one that is paid leaves it', async () => {
    useBasket.setState({ listings: [...several.items] })
    open(fails(4001))
    await run().outcome.catch(() => undefined)
    expect(useBasket.getState().listings).toHaveLength(2)
    open(signs)
    await run().outcome
    expect(useBasket.getState().listings).toEqual([second])
  })
})

describe('a purchase that fails for an unknown reason', () => {
  test('before anything is held', async () => {
    open(signs, { [BUY]: broken })
    await expect(run().outcome).rejects.toThrow(
      'The server answered with an error (500). Your wallet was not asked, so no SOL moved. If the listing was held for you, Needs attention shows it.',
    )
  })

  test('before anything is held for a checkout, whose page shows only that', async () => {
    open(signs, { [BUY]: broken })
    await expect(run({ ...order, checkout: 'checkout-1' }).outcome).rejects.toThrow(/ you can pay for them here, or cancel\.$/)
  })

  test('before the wallet is asked', async () => {
    open(signs, { 'POST /rpc': refused(400, 'BAD_REPLY') })
    await expect(run().outcome).rejects.toThrow(
      /^BAD_REPLY\. Your wallet was not asked, so no SOL moved\. Your items stay reserved for you/,
    )
  })

  test('while the payment is submitted', async () => {
    open(signs, { [BUY]: { transactionDetails: { ...hold, payMillisLeft: 900 } }, [SUBMIT]: broken })
    await expect(run().outcome).rejects.toThrow(/it is not known yet whether SOL moved\. Do not pay again/)
  })

  test('while the payment is followed', async () => {
    open(signs, { [CONFIRM]: () => new Response('<html>', { status: 404 }) })
    await expect(run().outcome).rejects.toThrow('The server answered with an error (404). Your payment was sent, so do not pay again')
  })

  test('and one that the server explains', async () => {
    open(signs, { [BUY]: refused(409, 'BLOCKED') })
    await expect(run().outcome).rejects.toThrow(/^BLOCKED\.$/)
  })
})

describe('a purchase at a busy server', () => {
  const busy = refused(503, 'CHAIN_BUSY', 4)

  beforeEach(() => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  test('is tried again after the time that the server asks for', async () => {
    const replies = [busy, busy]
    const calls = open(signs, { [BUY]: () => (replies.shift() ?? (() => Response.json({ transactionDetails: hold })))() })
    const { progress, outcome } = run()
    await vi.advanceTimersByTimeAsync(7_999)
    expect(calls).toEqual([BUY, BUY])
    await vi.advanceTimersByTimeAsync(1)
    await expect(outcome).resolves.toMatchObject({ status: 'settled' })
    expect(progress.slice(0, 3)).toMatchObject([{ retryMillis: 4_000 }, { retryMillis: 4_000 }, { payMillisLeft: 60_000 }])
  })

  test('is given up after two minutes, in the server’s words', async () => {
    const calls = open(signs, { [BUY]: busy })
    const { outcome } = run()
    await vi.advanceTimersByTimeAsync(120_000)
    await expect(outcome).rejects.toThrow(/^CHAIN_BUSY\. Nothing was held, and no SOL moved\.$/)
    expect(calls).toHaveLength(31)
  })

  test('is not tried again if the server asks for more than two minutes', async () => {
    const calls = open(signs, { [BUY]: refused(503, 'CHAIN_BUSY', 300) })
    await expect(run().outcome).rejects.toThrow(/^CHAIN_BUSY\. Nothing was held, and no SOL moved\.$/)
    expect(calls).toEqual([BUY])
  })

  test('ends at once when the buyer cancels', async () => {
    const calls = open(signs, { [BUY]: busy })
    const { outcome, cancellation } = run()
    await vi.advanceTimersByTimeAsync(1_000)
    const stopped = new PurchaseStopped('cancelled', { byBuyer: true })
    cancellation.abort(stopped)
    await expect(outcome).rejects.toBe(stopped)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(calls).toEqual([BUY])
  })

  test('gives a hold back that comes after the buyer has cancelled', async () => {
    const cancellations: AbortController[] = []
    const stopped = new PurchaseStopped('cancelled', { byBuyer: true })
    const calls = open(signs, {
      [BUY]: () => {
        cancellations[0]?.abort(stopped)
        return cancellations[0] ? Response.json({ transactionDetails: hold }) : busy()
      },
    })
    const { outcome, cancellation } = run()
    await vi.advanceTimersByTimeAsync(1_000)
    cancellations.push(cancellation)
    await vi.advanceTimersByTimeAsync(3_000)
    await expect(outcome).rejects.toBe(stopped)
    expect(calls).toEqual([BUY, BUY, CANCEL])
  })

  test('ends when another wallet is connected meanwhile', async () => {
    const calls = open(signs, { [BUY]: busy })
    const { outcome } = run()
    await vi.advanceTimersByTimeAsync(1_000)
    useWallet.setState({ connected: { ...useWallet.getState().connected, connection: 2 } as never })
    await vi.advanceTimersByTimeAsync(3_000)
    await expect(outcome).rejects.toThrow('Your wallet changed while you waited')
    expect(calls).toEqual([BUY])
  })
})

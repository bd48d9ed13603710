import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { describe, expect, test, vi } from 'vitest'

import { type Order, orderItemOf } from '../../src/features/purchase/order/order.ts'
import { Overtaken, overtakenText } from '../../src/features/purchase/order/offer.ts'
import { PurchaseStopped } from '../../src/features/purchase/order/wait-while-busy.ts'
import { signedOut, useSession } from '../../src/session/session-store.ts'
import { useWallet } from '../../src/wallet/wallet-store.ts'
import { listing } from '../support/listing.ts'
import {
  address,
  broken,
  BUY,
  buyer,
  coSigning,
  CONFIRM,
  fails,
  inTurn,
  offered,
  OFFER,
  offer,
  openMarket,
  order,
  PAY,
  READ,
  refused,
  run,
  settled,
  signs,
  SUBMIT,
} from '../support/purchase-run.ts'

const paid = { purchaseId: 'purchase-1', signature: 'signature' }
const expired = refused(409, 'PAYMENT_EXPIRED')

describe('a co-signed purchase', () => {
  test('asks for an offer, has it signed, submits the bytes, and follows what the market sends', async () => {
    const { made } = openMarket(signs)
    const { progress, outcome } = run()
    await expect(outcome).resolves.toEqual({ ...settled, signature: 'signature' })
    const items = [{ listingId: offered._id, amount: 10 }]
    expect(made).toEqual([
      { name: OFFER, body: { items, maxLamports: '500000000' } },
      { name: PAY, body: { items, reference: offer.reference, transaction: 'AQ==' } },
      { name: READ, body: {} },
    ])
    expect(progress).toMatchObject([{ step: 'approve' }, { step: 'signed' }, { step: 'sent' }, { step: 'delivered' }])
  })

  test('for a checkout names it in every call, also once it is approved again', async () => {
    const { made } = openMarket(signs, { [PAY]: inTurn(expired, paid) })
    await run({ wanted: { ...order, checkout: 'checkout-1' } }).outcome
    const named = made.flatMap(({ name, body }) => (name === READ ? [] : [[name, body['checkout']]]))
    expect(named).toEqual([OFFER, PAY, OFFER, PAY].map((name) => [name, 'checkout-1']))
  })

  test('has the buyer as fee payer, the market as second signer, and the offer’s blockhash', async () => {
    const sign = vi.fn<typeof signs>(signs)
    openMarket(sign)
    await run().outcome
    const { messageBytes, signatures } = getTransactionDecoder().decode(sign.mock.calls[0]![0].transaction)
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    expect(Object.entries(signatures)).toEqual([
      [buyer, null],
      [offer.coSigner, null],
    ])
    expect(message.lifetimeToken).toBe(offer.blockhash)
  })

  const with_ = (change: object) => ({ [OFFER]: { offer: { ...offer, ...change } } })
  test.each([
    ['a lamport more', with_({ transfers: [{ ...offer.transfers[0], lamports: '500000001' }] })],
    ['fewer drinks', with_({ items: [{ ...offer.items[0], amount: 9 }] })],
    ['another listing', with_({ items: [{ ...offer.items[0], listingId: 'other' }] })],
    ['transfers that do not add up', with_({ transfers: [{ ...offer.transfers[0], lamports: '499999999' }] })],
    [
      'a transfer to a stranger',
      with_({ transfers: [...offer.transfers, { to: address, lamports: '0', kind: 'fee' }, { to: buyer, lamports: '0', kind: 'seller' }] }),
    ],
  ])('never asks the wallet for %s', async (_, replies) => {
    const sign = vi.fn<typeof signs>(signs)
    const { calls } = openMarket(sign, replies)
    await expect(run().outcome).rejects.toBeInstanceOf(PurchaseStopped)
    expect(sign).not.toHaveBeenCalled()
    expect(calls).toEqual([OFFER])
  })

  test('that the buyer declines has nothing to give back, and is not asked again', async () => {
    const { calls, stored } = openMarket(fails(4001))
    await expect(run().outcome).rejects.toThrow(/^You declined the request in your wallet\. No SOL moved\.$/)
    expect(calls).toEqual([OFFER])
    expect(stored.size).toBe(0)
  })

  test('whose offer nobody answers for asks no wallet, and has held nothing', async () => {
    openMarket(signs, { [OFFER]: broken })
    await expect(run().outcome).rejects.toThrow(
      /^The server answered with an error \(500\)\. Your wallet was not asked, so no SOL moved\.$/,
    )
  })
})

describe('a wallet that took longer than Solana allows', () => {
  test('is asked once more, for a fresh offer of the same or a lower total', async () => {
    const { made, calls } = openMarket(signs, {
      [OFFER]: inTurn({ offer: cheaper(499_999_999n) }, { offer: cheaper(499_999_999n) }),
      [PAY]: inTurn(expired, paid),
    })
    const { progress, outcome } = run()
    await outcome
    expect(calls).toEqual([OFFER, PAY, OFFER, PAY, READ])
    expect(made[2]?.body['maxLamports']).toBe('499999999')
    expect(progress).toMatchObject([
      { step: 'approve' },
      { step: 'signed' },
      { again: 'asked' },
      { step: 'approve' },
      { step: 'signed' },
      { step: 'sent' },
      { step: 'delivered' },
    ])
    // What is shown, and kept as a receipt, is what the wallet is asked to pay.
    expect(progress[0]).toMatchObject({ order: { items: [{ lamports: 499_999_999n }] } })
  })

  test('is never asked for more than the first time', async () => {
    const sign = vi.fn<typeof signs>(signs)
    openMarket(sign, { [OFFER]: inTurn({ offer: cheaper(499_999_999n) }, { offer }), [PAY]: expired })
    await expect(run().outcome).rejects.toThrow('The listing has changed since you confirmed it.')
    expect(sign).toHaveBeenCalledOnce()
  })

  test('is asked after a tap where it may not open by itself', async () => {
    const { calls } = openMarket(signs, { [PAY]: inTurn(expired, paid) })
    let press = () => {}
    const untilPressed = () => new Promise<void>((resolve) => (press = resolve))
    const { progress, outcome } = run({ opensByItself: false, untilPressed })
    await vi.waitFor(() => expect(progress.at(-1)).toEqual({ again: 'waits' }))
    expect(calls).toEqual([OFFER, PAY])
    press()
    await outcome
    expect(calls).toEqual([OFFER, PAY, OFFER, PAY, READ])
  })

  test('is asked after a press if it took too long twice', async () => {
    openMarket(signs, { [PAY]: inTurn(expired, expired, paid) })
    const untilPressed = vi.fn<() => Promise<void>>(async () => undefined)
    await run({ untilPressed }).outcome
    expect(untilPressed).toHaveBeenCalledOnce()
  })

  test('is not asked again after the buyer has connected another one', async () => {
    const sign = vi.fn<typeof signs>(signs)
    openMarket(sign, { [PAY]: expired })
    const untilPressed = async () => useWallet.setState({ connected: { ...useWallet.getState().connected, connection: 2 } as never })
    await expect(run({ opensByItself: false, untilPressed }).outcome).rejects.toThrow('Your wallet changed while you waited')
    expect(sign).toHaveBeenCalledOnce()
  })
})

describe('a signed payment', () => {
  const gone = () => {
    throw new TypeError('fetch failed')
  }

  test.each([
    ['nobody answers for', gone],
    ['a broken server answers for', broken],
    ['a server answers for that cannot say yet', refused(503, 'DATABASE_DOWN')],
    ['a server answers for that has too many', refused(429, 'TOO_MANY_REQUESTS')],
    ['a proxy answers for', () => new Response('<html>', { status: 404 })],
  ])('that %s is submitted again as it is, without asking the wallet', async (_, unclear) => {
    vi.useFakeTimers()
    const sign = vi.fn<typeof signs>(signs)
    const { made, calls } = openMarket(sign, { [PAY]: inTurn(unclear, unclear, paid) })
    const { progress, outcome } = run()
    await vi.waitFor(() => expect(progress).toContainEqual({ unanswered: true }))
    await vi.advanceTimersByTimeAsync(3_000)
    await outcome
    vi.useRealTimers()
    expect(calls).toEqual([OFFER, PAY, PAY, PAY, READ])
    expect(new Set(made.filter(({ name }) => name === PAY).map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(sign).toHaveBeenCalledOnce()
  })

  test.each([
    ['PAUSED', 503],
    ['PAYMENT_REFUSED', 422],
    ['REFERENCE_USED', 409],
  ])('that is refused for good as %s is not submitted again', async (code, status) => {
    const { calls } = openMarket(signs, { [PAY]: refused(status, code) })
    await expect(run().outcome).rejects.toThrow(`${code}.`)
    expect(calls).toEqual([OFFER, PAY])
  })

  test('is kept for a reload until the server has answered', async () => {
    const kept: boolean[] = []
    const { stored } = openMarket(signs, {
      [PAY]: () => {
        kept.push(stored.has('signedPayment'))
        return Response.json(paid)
      },
    })
    await run().outcome
    expect(kept).toEqual([true])
    expect(stored.size).toBe(0)
  })

  test('is given up when its wallet signs out, with a word that nobody knows yet', async () => {
    const { stored } = openMarket(signs, {
      [PAY]: () => {
        useSession.setState(signedOut)
        return broken()
      },
    })
    await expect(run().outcome).rejects.toThrow(/it is not known yet whether SOL moved\. Do not pay again/)
    expect(stored.size).toBe(0)
  })
})

describe('somebody who was faster', () => {
  test.each(['LISTING_HELD', 'LISTING_NOT_ACTIVE', 'AMOUNT_NOT_LEFT'])(
    'is told of as such, by an offer and by a payment (%s)',
    async (code) => {
      for (const name of [OFFER, PAY]) {
        openMarket(signs, { [name]: refused(409, code) })
        const failure = await run().outcome.catch((error: unknown) => error)
        expect(failure).toBeInstanceOf(Overtaken)
        expect(failure).toMatchObject({ message: 'Someone else was faster. Your payment was not sent.' })
      }
    },
  )

  test('with one listing of several is told of with that listing', async () => {
    const several: Order = { ...order, items: [...order.items, { ...orderItemOf(listing({ _id: 'listing-2' }), 4), seller: address }] }
    openMarket(signs, {
      [OFFER]: () => Response.json({ error: 'Gone.', code: 'LISTING_NOT_ACTIVE', listingId: 'listing-2' }, { status: 409 }),
    })
    await expect(run({ wanted: several }).outcome).rejects.toThrow(`${overtakenText} 4 Apple Juice of 8qEDkoVT…: Gone.`)
  })
})

describe('a wallet that fails to sign with the market', () => {
  /** Signs what it alone signs. */
  const alone = (code?: number): typeof signs => {
    return async ({ transaction }) => {
      if (transaction[0] === 2) throw Object.assign(new Error('two signers'), { code })
      return [{ signedTransaction: new Uint8Array([1]) }]
    }
  }

  test.each([undefined, -32003, -32603])('is asked again for a payment of its own, and remembered (%s)', async (code) => {
    const { calls, stored } = openMarket(alone(code))
    await expect(run().outcome).resolves.toMatchObject({ status: 'settled' })
    expect(calls).toEqual([OFFER, BUY, 'POST /rpc', SUBMIT, CONFIRM])
    expect(stored.get('walletsThatSignAlone')).toBe('["Phantom"]')
    calls.splice(0)
    await run().outcome
    expect(calls).toEqual([BUY, 'POST /rpc', SUBMIT, CONFIRM])
  })

  test.each([4001, 4100, 4900, -32002])('is not, if it says that it was not able to ask, or that its owner declined (%i)', async (code) => {
    const { calls, stored } = openMarket(alone(code))
    await expect(run().outcome).rejects.toThrow('No SOL moved.')
    expect(calls).toEqual([OFFER])
    expect(stored.size).toBe(0)
  })

  test('is not remembered if it fails alone, too', async () => {
    const { stored } = openMarket(fails(-32603))
    await expect(run().outcome).rejects.toThrow('Your items stay reserved for you')
    expect(stored.size).toBe(0)
  })

  test('is asked with the market where only the market may send', async () => {
    const { calls, stored } = openMarket(alone())
    stored.set('walletsThatSignAlone', '["Phantom"]')
    await expect(run({ config: { ...coSigning, walletSends: 'off' } }).outcome).rejects.toThrow(/two signers\. No SOL moved\.$/)
    expect(calls).toEqual([OFFER])
  })
})

describe('a wallet that only sends by itself', () => {
  test('holds and pays', async () => {
    const { calls } = openMarket(undefined)
    const { progress, outcome } = run()
    await outcome
    expect(calls).toEqual([BUY, 'POST /rpc', CONFIRM])
    expect(progress[0]).toMatchObject({ payMillisLeft: 60_000 })
  })

  test('cannot buy where only the market sends', async () => {
    const { calls } = openMarket(undefined)
    await expect(run({ config: { ...coSigning, walletSends: 'off' } }).outcome).rejects.toThrow(/^This wallet cannot buy here/)
    expect(calls).toEqual([])
  })
})

describe('a market that has stopped to co-sign', () => {
  test('is paid after a hold, by its new settings', async () => {
    for (const name of [OFFER, PAY]) {
      const { calls, stored } = openMarket(signs, { [name]: refused(409, 'CO_SIGN_OFF') })
      await run({ newConfig: { ...coSigning, coSigner: null } }).outcome
      expect(stored.size).toBe(0)
      expect(calls.slice(-4)).toEqual([BUY, 'POST /rpc', SUBMIT, CONFIRM])
    }
  })

  test('is not paid where the new settings leave no way', async () => {
    const { calls } = openMarket(signs, { [OFFER]: refused(409, 'CO_SIGN_OFF') })
    await expect(run({ newConfig: { ...coSigning, walletSends: 'off' } }).outcome).rejects.toThrow('CO_SIGN_OFF.')
    expect(calls).toEqual([OFFER])
  })
})

test('what is held already is paid as it is held', async () => {
  const { calls } = openMarket(signs)
  await run({ wanted: { ...order, origin: 'held' } }).outcome
  expect(calls).toEqual([BUY, 'POST /rpc', SUBMIT, CONFIRM])
})

/** The offer at a lower price. */
function cheaper(lamports: bigint) {
  return {
    ...offer,
    items: [{ ...offer.items[0], lamports: String(lamports) }],
    transfers: [{ ...offer.transfers[0], lamports: String(lamports) }],
  }
}

import { beforeEach, expect, test, vi } from 'vitest'

import { orderItemOf } from '../../src/features/purchase/order/order.ts'
import { listing } from '../support/listing.ts'

const order = {
  items: [orderItemOf(listing(), 10), orderItemOf(listing({ _id: 'listing-2', divisible: true }), 3)],
  fee: 7n,
  origin: 'quote',
} as const
const payment = { walletAddress: 'buyer', order, reference: 'R', transaction: 'AQ==' }
const stored = new Map<string, string>()

/** The module as a page has it that has just been loaded. */
async function load() {
  vi.resetModules()
  return await import('../../src/features/purchase/co-signed/pay-co-signed.ts')
}

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
  return () => vi.unstubAllGlobals()
})

test('a signed payment survives a reload, and is then submitted with the same words', async () => {
  const before = await load()
  before.keepPayment(payment)
  const after = await load()
  const interrupted = after.readInterrupted('buyer')
  expect(interrupted).toEqual(payment)
  expect(after.bodyOf(interrupted!)).toEqual(before.bodyOf(payment))
})

test('a payment for a checkout still is one after a reload', async () => {
  const forCheckout = { ...payment, order: { ...order, checkout: 'checkout-1' } }
  ;(await load()).keepPayment(forCheckout)
  const after = await load()
  const interrupted = after.readInterrupted('buyer')
  expect(interrupted).toEqual(forCheckout)
  expect(after.bodyOf(interrupted!).checkout).toBe('checkout-1')
})

test('a payment that this page submits itself was not interrupted', async () => {
  const page = await load()
  page.keepPayment(payment)
  expect(page.readInterrupted('buyer')).toBeUndefined()
  expect(stored.size).toBe(1)
})

test('an answered payment is forgotten', async () => {
  const page = await load()
  page.keepPayment(payment)
  page.forgetPayment()
  expect((await load()).readInterrupted('buyer')).toBeUndefined()
})

test('another wallet’s payment is forgotten, and never submitted', async () => {
  ;(await load()).keepPayment(payment)
  expect((await load()).readInterrupted('other')).toBeUndefined()
  expect((await load()).readInterrupted('buyer')).toBeUndefined()
})

test.each(['{', '7', '{}', '{"walletAddress":"buyer","fee":"x"}', '{"walletAddress":"buyer","checkout":7}'])(
  'what nobody can have kept is forgotten: %s',
  async (text) => {
    stored.set('signedPayment', text)
    expect((await load()).readInterrupted('buyer')).toBeUndefined()
    expect(stored.size).toBe(0)
  },
)

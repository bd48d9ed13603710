import { errors, errorText, Failure } from '@juicebar/contract/errors'
import { marketTitle } from '@juicebar/contract/market-settings'
import { loginMessage } from '@juicebar/contract/messages'
import {
  LAMPORTS_PER_SOL,
  lamports,
  lamportsToSol,
  nearestLamports,
  parsePrice,
  PRICE_STEP_LAMPORTS,
  roundToLamport,
  solText,
  solToLamports,
} from '@juicebar/contract/money'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const anyPrice = fc.bigInt({ min: 1n, max: 1_000_000_000n }).map((steps) => steps * PRICE_STEP_LAMPORTS)

describe('money', () => {
  it('reads back exactly what it writes, for every price', () => {
    fc.assert(fc.property(anyPrice, (price) => parsePrice(lamportsToSol(price)) === price))
  })

  it('writes every lamport amount as its shortest decimal', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (value) => {
        const text = solText(value)
        expect(text).not.toMatch(/\.\d*0$|\.$/)
        const [whole = '', fraction = ''] = text.split('.')
        expect(BigInt(whole) * LAMPORTS_PER_SOL + BigInt(fraction.padEnd(9, '0'))).toBe(value)
      }),
    )
  })

  it.each([
    [0.001, 1_000_000n],
    [0.1 + 0.2, undefined],
    [0.3, 300_000_000n],
    [1_000_000, 10n ** 15n],
    [1_000_000.001, undefined],
    [0.0005, undefined],
    [0.0015, undefined],
    [0.0010000000001, undefined],
    [1e308, undefined],
    [1e-7, undefined],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])('parses %d SOL as a price of %s lamports', (sol, expected) => {
    expect(parsePrice(sol)).toBe(expected)
  })

  it('converts amounts below the price step, which are money but no prices', () => {
    expect(solToLamports(0.000000001)).toBeUndefined()
    expect(solToLamports(0.000005)).toBe(5_000n)
  })

  it('rounds what floating-point arithmetic has made of SOL to the lamport, half a lamport up', () => {
    expect(roundToLamport(0.1 + 0.2)).toBe(0.3)
    expect(roundToLamport(0.000_000_001_5)).toBe(0.000_000_002)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 50 }), (prices) => {
        const sum = prices.reduce((total, price) => total + price, 0)
        const sol = prices.reduce((total, price) => total + price / 1e9, 0)
        expect([nearestLamports(sol), roundToLamport(sol)]).toEqual([sum, sum / 1e9])
      }),
    )
  })

  it('refuses negative lamports', () => {
    expect(() => lamports(-1n)).toThrow(RangeError)
  })
})

describe('the table of errors', () => {
  it.each(Object.entries(errors))('%s has a client or server status and a sentence', (_code, { status, text }) => {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect(text.length).toBeGreaterThan(0)
  })

  it('puts the detail into the text', () => {
    expect(errorText('COOLDOWN', '10 min')).toContain('10 min')
    expect(new Failure('BAD_REQUEST', { detail: 'price is odd.' }).message).toBe('price is odd.')
  })
})

it.each([
  ['Juicebar', 'Juicebar Marketplace'],
  ['Moonbase', 'Moonbase'],
  ['Moonbase Marketplace', 'Moonbase Marketplace'],
])('a market called %s is %s to people, also in the message that a wallet signs', (productName, title) => {
  expect(marketTitle(productName)).toBe(title)
  expect(loginMessage(productName, 'market.example', 'abc')).toBe(`Log in to ${title} at market.example\nNonce: abc`)
})

import { type Body } from '@juicebar/contract/calls'
import { describe, expect, it } from 'vitest'

import { draftCheckout } from '../../src/checkouts/checkout.ts'
import { readConfig } from '../../src/config.ts'
import { isUrlToken, newUrlToken } from '../../src/runtime/url-token.ts'
import { defaultCatalogue } from '../support/catalogue.ts'

const origins = ['https://game.example', 'http://localhost:8080']
const asked = (changes: Partial<Body<'createCheckout'>> = {}): Body<'createCheckout'> => ({
  tokenType: 'APPLE_JUICE',
  amount: 3,
  returnUrl: 'https://game.example/shop?level=7',
  idempotencyKey: 'order 1',
  ...changes,
})
const draft = (changes: Partial<Body<'createCheckout'>> = {}, allowed = origins) =>
  draftCheckout(asked(changes), { catalogue: defaultCatalogue, origins: allowed })

describe('a checkout', () => {
  it('is open for half an hour and may cost anything, unless the game says otherwise', () => {
    expect(draft()).toEqual({
      tokenType: 'APPLE_JUICE',
      amount: 3,
      maxLamports: null,
      wallet: null,
      clientReference: null,
      returnUrl: 'https://game.example/shop?level=7',
      expiresInSeconds: 1_800,
    })
  })

  it.each([
    ['https://game.example', 'https://game.example/'],
    ['HTTPS://GAME.example:443/a/../b', 'https://game.example/b'],
    ['http://localhost:8080/game', 'http://localhost:8080/game'],
  ])('returns to %s as browsers read it', (text, href) => {
    expect(draft({ returnUrl: text }).returnUrl).toBe(href)
  })

  it.each([
    'https://evil.example/',
    'https://game.example.evil.example/',
    'https://game.example@evil.example/',
    'https://game.example:444/',
    'http://game.example/',
    'http://localhost:8081/',
    'https:\\\\evil.example\\game.example',
    '//game.example/',
    '/shop',
    'javascript:alert(1)//https://game.example',
    'data:text/html,https://game.example',
    'https://player:secret@game.example/',
    'https://game.example/#token',
    'https://game.example/#',
  ])('never returns to %s', (returnUrl) => {
    expect(() => draft({ returnUrl })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
  })

  it('names the setting when it refuses an origin, and is not made without one', () => {
    expect(() => draft({ returnUrl: 'https://evil.example/' })).toThrow('CHECKOUT_ORIGINS')
    expect(() => draft({}, [])).toThrow(expect.objectContaining({ code: 'CHECKOUT_OFF' }))
  })

  it('has an address that nobody can guess', () => {
    const ids = new Set(Array.from({ length: 100 }, newUrlToken))
    expect(ids.size).toBe(100)
    expect([...ids].every(isUrlToken)).toBe(true)
    expect(isUrlToken('../../studio')).toBe(false)
  })
})

describe('CHECKOUT_ORIGINS', () => {
  const read = (text: string) => readConfig({ CHECKOUT_ORIGINS: text }).checkoutOrigins

  it('is a list of origins', () => {
    expect(readConfig({}).checkoutOrigins).toEqual([])
    expect(read('https://Game.example/,http://127.0.0.1:8080,http://localhost')).toEqual([
      'https://game.example',
      'http://127.0.0.1:8080',
      'http://localhost',
    ])
  })

  it.each(['http://game.example', 'https://game.example/shop', 'game.example', '*', 'https://a.example,', 'https://*.example/#'])(
    'is refused as %s',
    (text) => {
      expect(() => read(text)).toThrow('CHECKOUT_ORIGINS')
    },
  )
})

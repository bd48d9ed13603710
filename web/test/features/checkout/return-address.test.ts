import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { returnAddress, returnHost } from '../../../src/features/purchase/checkout/return-address.ts'

const returned = { id: '01a1', status: 'completed' } as const

describe('the address that a player returns to', () => {
  test.each([
    ['https://game.example/shop', 'https://game.example/shop?checkout=01a1&status=completed'],
    ['https://game.example', 'https://game.example/?checkout=01a1&status=completed'],
    ['https://game.example/?', 'https://game.example/?checkout=01a1&status=completed'],
    ['https://game.example/shop?room=7&name=a%20b', 'https://game.example/shop?room=7&name=a%20b&checkout=01a1&status=completed'],
    ['https://game.example:8443/?statuses=old', 'https://game.example:8443/?statuses=old&checkout=01a1&status=completed'],
    // The page that a game names may be one to which an earlier checkout has sent the player.
    ['https://game.example/?a=1&checkout=0000&st%61tus=completed', 'https://game.example/?a=1&checkout=01a1&status=completed'],
    ['https://game.example/?checkout&b', 'https://game.example/?b&checkout=01a1&status=completed'],
    ['http://localhost:8080/', 'http://localhost:8080/?checkout=01a1&status=completed'],
    ['http://127.0.0.1:5000/a', 'http://127.0.0.1:5000/a?checkout=01a1&status=completed'],
    ['http://[::1]/', 'http://[::1]/?checkout=01a1&status=completed'],
    ['http://game.localhost/', 'http://game.localhost/?checkout=01a1&status=completed'],
  ])('%s becomes %s', (returnUrl, address) => {
    expect(returnAddress(returnUrl, returned)?.href).toBe(address)
  })

  test.each(['completed', 'expired', 'cancelled'] as const)('says %s', (status) => {
    expect(returnAddress('https://game.example/', { id: '01a1', status })?.searchParams.get('status')).toBe(status)
  })

  test('has an identifier that cannot end the query', () => {
    expect(returnAddress('https://game.example/', { id: 'a&b#c', status: 'expired' })?.search).toBe('?checkout=a%26b%23c&status=expired')
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://game.example/1',
    'file:///etc/passwd',
    'ftp://game.example/',
    'http://game.example/',
    'http://127.0.0.1.game.example/',
    'http://localhost.game.example/',
    'http://notlocalhost/',
    'http://0.0.0.0/',
    'https://game.example@evil.example/',
    'https://user:password@game.example/',
    'https://game.example/#part',
    '//evil.example/',
    '/shop',
    'game.example',
    '',
  ])('is none, nor is its site named, for %j', (returnUrl) => {
    expect(returnAddress(returnUrl, returned)).toBeUndefined()
    expect(returnHost(returnUrl)).toBeUndefined()
  })

  test('is never of another origin than the game gave, and keeps its path and query', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ['https'] }), fc.string(), (returnUrl, id) => {
        const { origin, pathname, searchParams } = new URL(returnUrl)
        const address = returnAddress(returnUrl, { id, status: 'completed' })
        expect([address?.origin, address?.pathname]).toEqual([origin, pathname])
        const kept = [...searchParams].filter(([name]) => name !== 'checkout' && name !== 'status')
        expect([...(address?.searchParams ?? [])]).toEqual([...kept, ['checkout', id], ['status', 'completed']])
      }),
    )
  })
})

test('the site is named with its port', () => {
  expect(returnHost('https://game.example:8443/shop')).toBe('game.example:8443')
})

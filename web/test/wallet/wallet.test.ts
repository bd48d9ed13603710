import { readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { mobileMessages } from '../../src/wallet/mobile/request-local-network.ts'
import { phantomLink } from '../../src/wallet/phantom-link.ts'
import { isInAppBrowser, isMarketWallet, type MarketWallet, offeredNames, platformOf } from '../../src/wallet/wallet.ts'
import { transactionVersion } from '../../src/wallet/signatures.ts'
import { withTimeout, toWalletError, WalletError } from '../../src/wallet/wallet-error.ts'
import { buttonState } from '../../src/wallet/wallet-store.ts'

describe('what a wallet refuses', () => {
  test.each([
    [4001, 'rejected'],
    [4100, 'unauthorized'],
    [4900, 'disconnected'],
    [-32002, 'busy'],
    [-32003, 'invalid'],
    [-32603, 'internal'],
  ])('error %i has a kind of its own', (code, kind) => {
    expect(toWalletError(Object.assign(new Error('x'), { code })).kind).toBe(kind)
    expect(toWalletError(new Error('outer', { cause: { code } })).kind).toBe(kind)
  })

  test('anything else is an unexpected error, with what the wallet said', () => {
    expect(toWalletError(new Error('boom')).message).toBe('An unexpected error occurred: boom')
    expect(toWalletError('odd').message).toBe('An unexpected error occurred: no reason given')
  })

  test('every kind has its own sentence', () => {
    const codes = [4001, 4100, 4900, -32002, -32003, -32603]
    expect(new Set(codes.map((code) => toWalletError({ code }).message)).size).toBe(codes.length)
  })

  test('a silent wallet fails after the timeout', async () => {
    await expect(withTimeout(new Promise(() => {}), 5)).rejects.toEqual(new WalletError('silent'))
    await expect(withTimeout(Promise.resolve(7), 1_000)).resolves.toBe(7)
  })
})

describe('the wallet button', () => {
  const state = { present: [], chosen: undefined, phase: 'idle', connected: undefined } as const

  test('shows one of five states', () => {
    expect(buttonState(state)).toBe('no-wallet')
    expect(buttonState({ ...state, chosen: 'Phantom' })).toBe('has-wallet')
    expect(buttonState({ ...state, phase: 'connecting' })).toBe('connecting')
    expect(buttonState({ ...state, phase: 'disconnecting' })).toBe('disconnecting')
  })

  test('offers the Demo Wallet only if the market says so', () => {
    expect(offeredNames({ demoWallet: false })).not.toContain('Demo Wallet')
    expect(offeredNames({ demoWallet: true }).at(-1)).toBe('Demo Wallet')
  })
})

describe('a wallet of the browser', () => {
  const features = {
    'standard:connect': {},
    'standard:events': {},
    'solana:signMessage': {},
    'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: ['legacy', 0], signTransaction: async () => [] },
  }
  const wallet = (name: string, has: object = features) =>
    ({ version: '1.0.0', name, icon: '', chains: [], accounts: [], features: has }) as never

  test('is offered only if it is Phantom, and only if it can do what the market needs', () => {
    const names = offeredNames({ demoWallet: false })
    expect(isMarketWallet(wallet('Phantom'), names)).toBe(true)
    expect(isMarketWallet(wallet('Solflare'), names)).toBe(false)
    expect(isMarketWallet(wallet('Demo Wallet'), names)).toBe(false)
    for (const missing of Object.keys(features)) {
      const rest = Object.fromEntries(Object.entries(features).filter(([feature]) => feature !== missing))
      expect(isMarketWallet(wallet('Phantom', rest), names)).toBe(false)
    }
  })

  test('pays in version 0, or in legacy if it supports no other', () => {
    const paying = (versions: unknown[]): MarketWallet =>
      wallet('Phantom', { ...features, 'solana:signTransaction': { supportedTransactionVersions: versions } })
    expect(transactionVersion(paying(['legacy', 0]))).toBe(0)
    expect(transactionVersion(paying(['legacy']))).toBe('legacy')
    expect(transactionVersion(paying(['legacy', 0, 1]))).toBe(0)
    expect(transactionVersion(paying([1]))).toBe('legacy')
  })
})

describe('devices', () => {
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15'
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'
  const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'
  const webView =
    'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36'

  test('are told apart, including iPads', () => {
    expect(platformOf({ userAgent: iphone, maxTouchPoints: 5 })).toBe('ios')
    expect(platformOf({ userAgent: mac, maxTouchPoints: 5 })).toBe('ios')
    expect(platformOf({ userAgent: mac, maxTouchPoints: 0 })).toBe('desktop')
    expect(platformOf({ userAgent: android, maxTouchPoints: 5 })).toBe('android')
    expect(isInAppBrowser(webView)).toBe(true)
    expect(isInAppBrowser(android)).toBe(false)
  })

  test('on iOS the link opens this page in Phantom', () => {
    const page = new URL('https://juicebar.example/?a=1')
    expect(phantomLink('ios', page)).toBe(
      'https://phantom.app/ul/browse/https%3A%2F%2Fjuicebar.example%2F%3Fa%3D1?ref=https%3A%2F%2Fjuicebar.example',
    )
    expect(phantomLink('desktop', page)).toBe('https://phantom.app/download')
  })
})

describe('the mobile wallet protocol', () => {
  const read = (name: string) => readFileSync(new URL(`../../../node_modules/@solana-mobile/${name}`, import.meta.url), 'utf8')
  const protocol = read('mobile-wallet-adapter-protocol/lib/esm/index.browser.js')
  const adapter = read('wallet-standard-mobile/lib/esm/index.browser.js')

  test('still says what the specification says', () => {
    for (const text of Object.values(mobileMessages)) expect(adapter).toContain(text)
    expect(adapter).toContain('An unexpected error occurred: ')
  })

  test('still has the specification’s time-out, delays and ports', () => {
    expect(protocol).toMatch(/timeoutMs: 3e4|30000/)
    expect(protocol.replace(/\s/g, '')).toMatch(/150,150,200,500,500,750,750,1e3/)
    expect(protocol).toContain('49152')
    expect(protocol).toContain('65535')
  })
})

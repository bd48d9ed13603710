import { describe, expect, test } from 'vitest'

import { pauseBeforeNext } from '../../../src/features/purchase/checkout/checkout-query.ts'
import { type History, nextHistory, nothing, purchaseFor } from '../../../src/features/purchase/checkout/own-payment.ts'
import { stepOf } from '../../../src/features/purchase/checkout/use-checkout.ts'
import { type CheckoutState, obstacleText, screenOf, screenText } from '../../../src/features/purchase/checkout/screen.ts'

const checkout = { status: 'open', amount: 3, maxLamports: null } as const
const wallet = 'So11111111111111111111111111111111111111112'
const ready: CheckoutState = {
  checkout,
  away: false,
  underWay: false,
  delivered: false,
  timeIsUp: false,
  paused: undefined,
  delisted: false,
  price: { amount: 3, complete: true, total: 12_000_000n },
  walletAddress: wallet,
  cannotPay: false,
  refusal: undefined,
  sol: 1_000_000_000n,
  networkFee: 10_000n,
  step: 'pay',
}
const status = (status: 'paying' | 'completed' | 'expired') => ({ checkout: { ...checkout, status } })
const differs = { code: 'CHECKOUT_OTHER_WALLET', message: 'This checkout is for another wallet.' }
const blocked = { code: 'BLOCKED', message: 'This wallet is blocked: fraud.' }
const none = { amount: 0, complete: false, total: 0n }

describe('the screen of a checkout', () => {
  test.each<[string, Partial<CheckoutState>, object]>([
    ['is not known yet', { checkout: undefined }, { kind: 'loading' }],
    ['cannot be read', { checkout: undefined, away: true }, { kind: 'unreachable' }],
    ['does not exist', { checkout: null }, { kind: 'missing' }],
    ['has expired', status('expired'), { kind: 'expired' }],
    ['has expired by this browser’s clock', { timeIsUp: true }, { kind: 'expired' }],
    ['is being paid by somebody else', status('paying'), { kind: 'paying', mine: false }],
    ['is being paid here', { ...status('paying'), underWay: true }, { kind: 'paying', mine: true }],
    ['is being paid here while its time ends', { underWay: true, timeIsUp: true }, { kind: 'paying', mine: true }],
    ['is being paid here while the server is away', { underWay: true, away: true }, { kind: 'paying', mine: true }],
    ['was paid by somebody else, or before', status('completed'), { kind: 'completed', mine: false }],
    ['was paid here', { ...status('completed'), delivered: true }, { kind: 'completed', mine: true }],
    ['was paid here a moment ago', { underWay: true, delivered: true }, { kind: 'completed', mine: true }],
    ['was paid here, and the server is away', { ...status('completed'), away: true, delivered: true }, { kind: 'completed', mine: true }],
  ])('that %s', (_, change, screen) => {
    expect(screenOf({ ...ready, ...change })).toEqual(screen)
  })

  test.each<[string, Partial<CheckoutState>, object | undefined]>([
    ['nothing', {}, undefined],
    ['nothing, if the balance is not known', { sol: undefined }, undefined],
    ['the server, which is away', { away: true, paused: 'x' }, { kind: 'away' }],
    ['a pause', { paused: 'Back at nine.', price: none }, { kind: 'paused', reason: 'Back at nine.' }],
    ['an item that is not traded any more', { price: undefined, delisted: true }, { kind: 'delisted' }],
    ['an unknown price', { price: undefined }, { kind: 'unpriced' }],
    ['too little for sale', { price: { ...none, amount: 2, total: 8n } }, { kind: 'short', forSale: 2, wanted: 3, toOthers: true }],
    ['nothing for sale to a visitor', { price: none, walletAddress: undefined }, { kind: 'short', forSale: 0, wanted: 3, toOthers: false }],
    [
      'a price above the most',
      { checkout: { ...checkout, maxLamports: '11999999' } },
      { kind: 'dear', costs: 12_000_000n, most: 11_999_999n },
    ],
    ['not a price of exactly the most', { checkout: { ...checkout, maxLamports: '12000000' } }, undefined],
    ['another wallet’s checkout', { refusal: differs, sol: 0n }, { kind: 'other wallet', connected: wallet }],
    ['a block', { refusal: blocked }, { kind: 'refused', reason: blocked.message }],
    ['a wallet that cannot pay here', { cannotPay: true, refusal: blocked }, { kind: 'wallet cannot pay' }],
    ['too little SOL for the network’s fee', { sol: 12_009_999n }, { kind: 'poor', has: 12_009_999n, needs: 12_010_000n }],
    ['not the last lamport', { sol: 12_010_000n }, undefined],
    ['not a wallet that is not to pay yet', { step: 'connect', cannotPay: true, refusal: blocked, sol: 0n }, undefined],
  ])('in whose way is %s', (_, change, obstacle) => {
    const state = { ...ready, ...change }
    expect(screenOf(state)).toEqual({ kind: 'open', obstacle, step: state.step })
  })
})

describe('what is in the way', () => {
  const text = (change: Partial<CheckoutState>) => {
    const screen = screenOf({ ...ready, ...change })
    return screen.kind === 'open' && screen.obstacle && obstacleText(screen.obstacle, 'Apple Juice')
  }

  test('is said in plain words, with a way on', () => {
    expect(text({ price: { ...none, amount: 2 } })).toBe('Only 2 of 3 are for sale right now. This page keeps looking for more.')
    expect(text({ price: none })).toBe('Nobody else sells Apple Juice right now. This page keeps looking for more.')
    expect(text({ price: none, walletAddress: undefined })).toMatch(/^Nobody sells Apple Juice right now\./)
    expect(text({ checkout: { ...checkout, maxLamports: '10000000' } })).toBe(
      'It costs more right now than the game allows: 0.012 SOL instead of at most 0.01 SOL. This page keeps looking for a better price.',
    )
    expect(text({ sol: 5_000_000n })).toBe(
      'Your wallet has 0.005 SOL, but this takes 0.01201 SOL with the network fee. Add SOL to it, or use another wallet.',
    )
    expect(text({ refusal: differs })).toBe(
      'This checkout is for another wallet, not for So11..1112. Connect the one that you use in the game.',
    )
    expect(text({ refusal: blocked })).toBe('This wallet is blocked: fraud.')
    expect(text({ paused: 'Back at nine.' })).toBe('Buying is paused: Back at nine. You can pay as soon as it goes on.')
    expect(text({ away: true })).toMatch(/^The market cannot be reached right now\./)
  })

  test('is not said while the price is on its way', () => expect(text({ price: undefined })).toBeUndefined())
})

test('a screen reader hears each end, and nothing that is announced elsewhere', () => {
  expect(screenText(screenOf({ ...ready, ...status('paying') }))).toBe('A payment for this checkout is under way.')
  expect(screenText(screenOf({ ...ready, delivered: true }))).toBe('Delivered.')
  expect(screenText(screenOf({ ...ready, ...status('expired') }))).toBe('This checkout has expired.')
  expect(screenText(screenOf(ready))).toBeUndefined()
})

describe('what has happened while the page was open', () => {
  const quiet = { status: 'open', isDelivered: false, isUnderWay: false } as const
  const after = (...moments: Partial<Parameters<typeof nextHistory>[1]>[]) =>
    moments.reduce<History>((before, moment) => nextHistory(before, { ...quiet, ...moment }), nothing)

  test('is a delivery once this player’s payment is known to be delivered', () => {
    expect(after({ isUnderWay: true, isDelivered: true }, {})).toMatchObject({ delivered: true, reopened: false })
  })

  test('is no delivery because the checkout was paid after a payment of this player', () => {
    expect(after({ status: 'paying', isUnderWay: true }, { status: 'completed' })).toMatchObject({ delivered: false })
  })

  test('is a payment that ended unpaid, until the player tries again', () => {
    expect(after({ status: 'paying' }, {}, {})).toMatchObject({ reopened: true })
    expect(after({ status: 'paying' }, {}, { isUnderWay: true }, {})).toMatchObject({ reopened: false })
    expect(after({}, {})).toMatchObject({ reopened: false })
  })
})

describe('the button', () => {
  const connected = {} as never
  const signedIn = { authorization: 'signed-in', loading: false } as const
  const signedOut = { authorization: 'signed-out', loading: false } as const
  const idle = { phase: 'idle', connected: undefined, chosen: undefined } as const
  test.each([
    ['connects', 'connect', idle, signedOut],
    ['connects the wallet that was chosen before', 'connect', { ...idle, chosen: 'Phantom' }, signedOut],
    ['waits for the wallet', 'connecting', { ...idle, phase: 'connecting' }, signedIn],
    ['waits for the session', 'checking', { ...idle, chosen: 'Phantom' }, { authorization: 'checking', loading: false }],
    ['signs in', 'sign-in', { ...idle, connected }, signedOut],
    ['waits for the signature', 'signing-in', { ...idle, connected }, { ...signedOut, loading: true }],
    ['pays', 'pay', { ...idle, connected, chosen: 'Phantom' }, signedIn],
    ['connects and pays after a reload', 'pay', { ...idle, chosen: 'Phantom' }, signedIn],
    ['asks whoever is signed in without a wallet for one', 'connect', idle, signedIn],
  ] as const)('%s', (_, step, wallet, session) => {
    expect(stepOf(wallet, session)).toBe(step)
  })
})

describe('a checkout is read again', () => {
  test('more and more rarely while it is being paid', () => {
    const pauses = [0, 5_000, 20_000, 40_000, 600_000].map((elapsed) => pauseBeforeNext('paying', elapsed))
    expect(pauses).toEqual([1_500, 1_500, 4_000, 8_000, 10_000])
  })

  test('now and then while it is open, and not once it has ended', () => {
    expect([pauseBeforeNext('open', 0), pauseBeforeNext('completed', 0), pauseBeforeNext('expired', 0)]).toEqual([8_000, false, false])
  })
})

describe('the open purchase of a checkout', () => {
  const sought = { tokenType: 'APPLE_JUICE', amount: 3, status: 'paying' } as const
  const purchase = (amount: number, ...types: string[]) => ({ amount, items: types.map((tokenType) => ({ tokenType })) }) as never
  const others = [purchase(2, 'APPLE_JUICE'), purchase(3, 'GRAPE_SODA'), purchase(3, 'APPLE_JUICE', 'GRAPE_SODA')]

  test('has exactly its item and amount', () => {
    const own = purchase(3, 'APPLE_JUICE', 'APPLE_JUICE')
    expect(purchaseFor(sought, [...others, own])).toBe(own)
    expect(purchaseFor(sought, others)).toBeUndefined()
    expect(purchaseFor(sought, undefined)).toBeUndefined()
  })

  test('is none while nobody pays', () => {
    expect(purchaseFor({ ...sought, status: 'open' }, [purchase(3, 'APPLE_JUICE')])).toBeUndefined()
  })
})

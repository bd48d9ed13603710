import { beforeEach, expect, test, vi } from 'vitest'

import { leaveCheckout } from '../../../src/features/purchase/checkout/return-address.ts'

const returnUrl = 'https://game.example/shop?room=7'
const returned = { id: '01a1', status: 'cancelled' } as const
const address = 'https://game.example/shop?room=7&checkout=01a1&status=cancelled'

/** A window, and what was done with it. */
function openPage(opener: { closed: boolean } | null) {
  const postMessage = vi.fn<(message: unknown, origin: string) => void>()
  const assign = vi.fn<(url: string | URL) => void>()
  const close = vi.fn<() => void>()
  return { page: { opener: opener && { ...opener, postMessage }, location: { assign }, close }, postMessage, assign, close }
}

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

test('a full page opens the game’s address', () => {
  const { page, assign, close } = openPage(null)
  leaveCheckout(returnUrl, returned, page)
  expect(assign.mock.calls).toEqual([[address]])
  expect(close).not.toHaveBeenCalled()
})

test('a pop-up tells only the game’s origin, and closes', () => {
  const { page, postMessage, assign, close } = openPage({ closed: false })
  leaveCheckout(returnUrl, returned, page)
  expect(postMessage.mock.calls).toEqual([[{ type: 'juicebar.checkout', id: '01a1', status: 'cancelled' }, 'https://game.example']])
  expect(close).toHaveBeenCalledOnce()
  expect(assign).not.toHaveBeenCalled()
})

test('a pop-up that does not close opens the game’s address after a moment, and tells nothing twice', () => {
  const { page, postMessage, assign } = openPage({ closed: false })
  leaveCheckout(returnUrl, returned, page)
  vi.runAllTimers()
  expect(assign.mock.calls).toEqual([[address]])
  expect(postMessage).toHaveBeenCalledOnce()
})

test('a pop-up whose opener is gone opens the game’s address', () => {
  const { page, postMessage, assign } = openPage({ closed: true })
  leaveCheckout(returnUrl, returned, page)
  expect(assign.mock.calls).toEqual([[address]])
  expect(postMessage).not.toHaveBeenCalled()
})

test.each(['javascript:alert(1)', 'http://game.example/', ''])('nothing is opened, told or closed for %j', (hostile) => {
  const { page, postMessage, assign, close } = openPage({ closed: false })
  leaveCheckout(hostile, returned, page)
  vi.runAllTimers()
  for (const done of [postMessage, assign, close]) expect(done).not.toHaveBeenCalled()
})

import { describe, expect, test } from 'vitest'

import { changeNotices, noNotices, type Notices, toastDuration } from '../../src/feedback/notices.ts'

function toast(notices: Notices, id: number): Notices {
  return changeNotices(notices, { kind: 'show toast', toast: { id, text: `toast ${id}`, tone: 'plain' } })
}

describe('the banner', () => {
  test('is one, and the newest', () => {
    const first = changeNotices(noNotices, { kind: 'show banner', id: 1, text: 'one' })
    const second = changeNotices(first, { kind: 'show banner', id: 2, text: 'two' })
    expect(second.banner).toEqual({ id: 2, text: 'two' })
    expect(changeNotices(second, { kind: 'dismiss banner' }).banner).toBeUndefined()
  })

  test('leaves the toasts alone', () => {
    const { toasts } = changeNotices(toast(noNotices, 1), { kind: 'show banner', id: 2, text: 'two' })
    expect(toasts).toHaveLength(1)
  })
})

describe('toasts', () => {
  test('are at most four, the newest last', () => {
    const notices = [1, 2, 3, 4, 5, 6].reduce(toast, noNotices)
    expect(notices.toasts.map(({ id }) => id)).toEqual([3, 4, 5, 6])
  })

  test('go one by one', () => {
    const notices = changeNotices([1, 2, 3].reduce(toast, noNotices), { kind: 'dismiss toast', id: 2 })
    expect(notices.toasts.map(({ id }) => id)).toEqual([1, 3])
  })

  test('stay longer the more there is to read', () => {
    expect(toastDuration('')).toBe(6_000)
    expect(toastDuration('x'.repeat(100))).toBe(10_000)
  })
})

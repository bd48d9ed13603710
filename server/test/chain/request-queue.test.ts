import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { type Priority, NotSent, RequestQueue } from '../../src/chain/rpc/request-queue.ts'

const limits = { perSecond: 1000, maxInFlight: 1, maxWaiting: 4, maxWaitMillis: 5000, longestWaitMillis: 5000 }
const now = () => performance.now()

/** A queue whose only place is taken until `finish` is called. */
function busyQueue(changes: Partial<typeof limits> = {}) {
  const queue = new RequestQueue({ ...limits, ...changes }, now)
  const order: string[] = []
  let finish = () => {}
  const first = queue.run('balance', () => new Promise<void>((resolve) => (finish = resolve)))
  const add = (priority: Priority, name: string = priority) => queue.run(priority, async () => void order.push(name))
  return { queue, order, add, first, finish: () => finish() }
}

function useFakeTimers(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

describe('the request queue', () => {
  test('runs the urgent before those that wait longer, and equals in their order', async () => {
    const { order, add, finish } = busyQueue({ maxWaiting: 10 })
    const others: Priority[] = ['release', 'blockhash', 'payment', 'settlement']
    const all = [add('spare'), add('relay'), add('balance', 'balance 1'), add('balance', 'balance 2'), ...others.map((one) => add(one))]
    await Promise.resolve()
    finish()
    await Promise.all(all)
    expect(order).toEqual(['settlement', 'payment', 'blockhash', 'release', 'balance 1', 'balance 2', 'relay', 'spare'])
  })

  test('starts no more requests in any second than allowed', async () => {
    useFakeTimers()
    const perSecond = 5
    const queue = new RequestQueue({ ...limits, perSecond, maxInFlight: 100, maxWaiting: 100 }, now)
    const begun: number[] = []
    const all = Promise.all(Array.from({ length: 12 }, () => queue.run('settlement', async () => void begun.push(now()))))
    await vi.advanceTimersByTimeAsync(3_000)
    await all
    expect(begun).toHaveLength(12)
    for (const [index, time] of begun.entries()) {
      const later = begun[index + perSecond]
      if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(1_000)
    }
  })

  test('when full rejects the newest of the least urgent, or the new one if it is not more urgent', async () => {
    const { order, add, finish } = busyQueue({ maxWaiting: 2 })
    const kept = add('balance', 'older')
    const displaced = add('balance', 'newer')
    const urgent = add('settlement')
    await expect(displaced).rejects.toThrow(NotSent)
    await expect(add('balance')).rejects.toThrow(NotSent)
    finish()
    await Promise.all([kept, urgent])
    expect(order).toEqual(['settlement', 'older'])
  })

  test('lets no request wait longer than allowed, and those of payments longer than others', async () => {
    const { add, order, queue, finish } = busyQueue({ maxWaitMillis: 20 })
    const paid = add('payment')
    await expect(add('balance')).rejects.toThrow('20 ms')
    expect(queue.waiting).toBe(1)
    finish()
    await paid
    expect(order).toEqual(['payment'])
  })

  test('gives spare requests no permit that others may want within the second', async () => {
    useFakeTimers()
    const queue = new RequestQueue({ ...limits, perSecond: 10, maxInFlight: 100, maxWaiting: 100, longestWaitMillis: 60_000 }, now)
    const begun: Priority[] = []
    const add = (priority: Priority) => queue.run(priority, async () => void begun.push(priority))
    const all = Array.from({ length: 20 }, () => add('spare'))
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toHaveLength(7)
    expect(queue.hasSpare).toBe(false)
    all.push(...Array.from({ length: 4 }, () => add('settlement')))
    await vi.advanceTimersByTimeAsync(0)
    expect(begun.slice(7)).toEqual(['settlement', 'settlement', 'settlement'])
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(all)
    expect(begun).toHaveLength(24)
    expect(queue.hasSpare).toBe(true)
  })

  test('continues after a task that failed', async () => {
    const queue = new RequestQueue(limits, now)
    await expect(queue.run('balance', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(queue.run('balance', async () => 'yes')).resolves.toBe('yes')
  })

  test('once closed rejects what waits and what comes', async () => {
    const { queue, add } = busyQueue()
    const waiting = add('settlement')
    queue.close()
    await expect(waiting).rejects.toThrow(NotSent)
    await expect(add('settlement')).rejects.toThrow(NotSent)
  })
})

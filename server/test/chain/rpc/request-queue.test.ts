import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Priority, NotSent, RequestQueue } from '../../../src/chain/rpc/request-queue.ts'
import { mostInASecond } from './most-in-a-second.ts'

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

/** Timers of a process that stands still again and again: what is due meanwhile happens at the end. */
function stallTimers(stalls: { after: number; millis: number }[]): void {
  const setTimer = globalThis.setTimeout
  const awakeAt = (time: number) => {
    let end = 0
    for (const { after, millis } of stalls) {
      if (time <= end + after) return time
      end += after + millis
      if (time < end) return end
    }
    return time
  }
  const start = now()
  const stalled = (callback: () => void, millis = 0) => setTimer(callback, awakeAt(now() - start + millis) + start - now())
  vi.stubGlobal('setTimeout', stalled)
}

const sleep = (millis: number) => new Promise<void>((resolve) => void setTimeout(resolve, millis))

/** Milliseconds until a request is asked for, then leaves the process, then arrives at the endpoint, and then is answered. */
const journeys = fc.array(
  fc.record({
    priority: fc.constantFrom<Priority>('settlement', 'balance', 'spare', 'relay'),
    asked: fc.nat(3_000),
    leaving: fc.constantFrom(0, 450),
    travelling: fc.constantFrom(0, 100, 250),
    answering: fc.constantFrom(0, 20, 5_000),
  }),
  { minLength: 1, maxLength: 60 },
)
const stalls = fc.array(fc.record({ after: fc.integer({ min: 1, max: 800 }), millis: fc.integer({ min: 5, max: 2_000 }) }), {
  maxLength: 12,
})

describe('the request queue', () => {
  test('runs the urgent before those that wait longer, and equals in their order', async () => {
    const { order, add, finish } = busyQueue({ maxWaiting: 10 })
    const others: Priority[] = ['candidate', 'release', 'blockhash', 'payment', 'settlement']
    const all = [add('relay'), add('spare'), add('balance', 'balance 1'), add('balance', 'balance 2'), ...others.map((one) => add(one))]
    await Promise.resolve()
    finish()
    await Promise.all(all)
    expect(order).toEqual(['settlement', 'payment', 'blockhash', 'release', 'candidate', 'balance 1', 'balance 2', 'spare', 'relay'])
  })

  test('has no more requests arrive in any second than allowed, however late they leave and however the process stalls', async () => {
    onTestFinished(() => void vi.useRealTimers())
    onTestFinished(() => void vi.unstubAllGlobals())
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 5 }), journeys, stalls, async (perSecond, journeys, stalls) => {
      vi.unstubAllGlobals()
      vi.useFakeTimers()
      stallTimers(stalls)
      const patient = { maxWaiting: 100, maxWaitMillis: 1_000_000, longestWaitMillis: 1_000_000 }
      const queue = new RequestQueue({ perSecond, maxInFlight: 100, ...patient }, now)
      const arrivals: number[] = []
      const all = journeys.map(async ({ priority, asked, leaving, travelling, answering }) => {
        await sleep(asked)
        await queue.run(priority, async () => {
          await sleep(leaving)
          arrivals.push(now() + travelling)
          await sleep(travelling + answering)
        })
      })
      await vi.runAllTimersAsync()
      await Promise.all(all)
      expect(mostInASecond(arrivals)).toBeLessThanOrEqual(perSecond)
    })
    await fc.assert(property, { numRuns: 200 })
  })

  test('counts a request as arrived a second after its start, if it has no answer by then', async () => {
    useFakeTimers()
    const queue = new RequestQueue({ ...limits, perSecond: 2, maxInFlight: 100 }, now)
    let begun = 0
    for (const _ of [1, 2, 3]) void queue.run('settlement', () => new Promise<void>(() => void begun++))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(begun).toBe(2)
    expect(queue.usedRatio).toBe(1)
    expect(queue.backlogSeconds('settlement')).toBe(1.5)
    await vi.advanceTimersByTimeAsync(1)
    expect(begun).toBe(3)
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

  test('gives spare requests no permit that the server may want for others within the second', async () => {
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

  test('runs what is spare however many requests come through the relay', async () => {
    useFakeTimers()
    const queue = new RequestQueue({ ...limits, perSecond: 10, maxInFlight: 100, maxWaiting: 100 }, now)
    const flood = setInterval(() => void queue.run('relay', async () => undefined).catch(() => undefined), 50)
    onTestFinished(() => clearInterval(flood))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(queue.hasSpare).toBe(true)
    const spare = vi.fn<() => Promise<undefined>>(async () => undefined)
    for (let n = 0; n < 20; n++) void queue.run('spare', spare)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(spare).toHaveBeenCalledTimes(20)
  })

  test('runs what comes through the relay while only the server’s own requests leave nothing to spare', async () => {
    useFakeTimers()
    const queue = new RequestQueue({ ...limits, perSecond: 10, maxInFlight: 100, maxWaiting: 100 }, now)
    const begun: Priority[] = []
    const add = (priority: Priority) => queue.run(priority, async () => void begun.push(priority))
    const own = Array.from({ length: 8 }, () => add('settlement'))
    const others = [add('spare'), add('relay'), add('relay')]
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual([...own.map(() => 'settlement'), 'relay', 'relay'])
    await vi.advanceTimersByTimeAsync(1_000)
    await Promise.all(others)
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

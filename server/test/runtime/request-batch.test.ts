import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RequestBatch } from '../../src/runtime/request-batch.ts'

/** Answers each request when the test says so: a key's answer is the key and when the request was sent. */
function slowServer(timing?: ConstructorParameters<typeof RequestBatch>[1]) {
  const requests: { keys: readonly string[]; answer(): void; fail(error: Error): void }[] = []
  const clock = { now: 0 }
  const batch = new RequestBatch<string, { key: string; sentAt: number }>((keys) => {
    const sentAt = clock.now
    return new Promise((resolve, reject) => {
      requests.push({ keys, answer: () => resolve(new Map(keys.map((key) => [key, { key, sentAt }]))), fail: reject })
    })
  }, timing)
  const request = async (index: number) => {
    await expect.poll(() => requests.length).toBeGreaterThan(index)
    return requests[index]!
  }
  return { batch, requests, request, clock }
}

/** Lets everything happen that waits for nothing but other promises. */
const settlePromises = () => new Promise<void>((resolve) => setImmediate(resolve))

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask'), key: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('answer', 'fail', 'wait') }) },
  ),
  { maxLength: 60 },
)

describe('a batch of requests', () => {
  test('gives each caller its own answer, from one request at a time that was sent after it asked, or the error of that request', async () => {
    const property = fc.asyncProperty(steps, async (steps) => {
      const { batch, requests, clock } = slowServer()
      const calls: Promise<unknown>[] = []
      let done = 0
      const finish = (how: 'answer' | 'fail') => {
        const request = requests[done]
        if (!request) return
        if (how === 'answer') request.answer()
        else request.fail(new Error(`request ${done} failed`))
        done++
      }
      const check = async (key: string, askedAt: number) => {
        try {
          const answer = (await batch.ask([key])).get(key)
          expect(answer?.key).toBe(key)
          expect(answer?.sentAt).toBeGreaterThanOrEqual(askedAt)
        } catch (error) {
          expect(String(error)).toMatch(/request \d+ failed/)
        }
      }
      for (const step of steps) {
        clock.now++
        if ('key' in step) calls.push(check(step.key, clock.now))
        else if (step.kind === 'wait') await settlePromises()
        else finish(step.kind)
        expect(requests.length - done).toBeLessThanOrEqual(1)
      }
      for (await settlePromises(); done < requests.length; await settlePromises()) finish('answer')
      await Promise.all(calls)
    })
    await fc.assert(property)
  })

  test('answers whoever asks at the same time with one request', async () => {
    const { batch, requests, request } = slowServer()
    const answers = Promise.all(Array.from({ length: 50 }, (_, n) => batch.ask([`key ${n}`])))
    ;(await request(0)).answer()
    expect((await answers).map((answer) => [...answer.keys()])).toEqual(Array.from({ length: 50 }, (_, n) => [`key ${n}`]))
    expect(requests).toHaveLength(1)
  })

  test('leaves out what the request did not answer', async () => {
    const batch = new RequestBatch<string, number>(async () => new Map([['known', 1]]))
    expect(await batch.ask(['known', 'unknown'])).toEqual(new Map([['known', 1]]))
  })

  test('fails for the callers of that time, and not for the next', async () => {
    const { batch, request } = slowServer()
    const lost = Promise.allSettled([batch.ask(['a']), batch.ask(['b'])])
    ;(await request(0)).fail(new Error('no answer'))
    expect(await lost).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    const found = batch.ask(['a'])
    ;(await request(1)).answer()
    expect((await found).size).toBe(1)
  })

  test('does not wait for a request that takes longer than its patience', async () => {
    const { batch, request } = slowServer({ patienceMillis: 10 })
    const stuck = batch.ask(['a'])
    const first = await request(0)
    const later = batch.ask(['b'])
    ;(await request(1)).answer()
    expect([...(await later).keys()]).toEqual(['b'])
    first.answer()
    expect([...(await stuck).keys()]).toEqual(['a'])
  })

  test('pauses between the starts of two requests', async () => {
    const begun: number[] = []
    const batch = new RequestBatch<string, number>(
      async () => {
        begun.push(performance.now())
        return new Map()
      },
      { pauseMillis: () => 100 },
    )
    for (let n = 0; n < 3; n++) await batch.ask([`key ${n}`])
    const gaps = begun.slice(1).map((at, index) => at - (begun[index] ?? 0))
    expect(gaps.every((gap) => gap >= 95)).toBe(true)
  })
})

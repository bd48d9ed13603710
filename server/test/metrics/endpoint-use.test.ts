import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'

import { Endpoint } from '../../src/chain/rpc/endpoint.ts'
import { RequestQueue } from '../../src/chain/rpc/request-queue.ts'
import { result, startFrontServer, status } from '../chain/front-server.ts'

describe('an RPC endpoint', () => {
  it('keeps account of what became of each request', async () => {
    const server = await startFrontServer(result('ok'))
    let now = 0
    const endpoint = new Endpoint({ url: `${server.url}/secret-key?key=secret`, host: 'a.host', now: () => now })
    onTestFinished(() => server.stop())
    const send = async () => {
      // Whatever it was told to wait for is over.
      now += 120_000
      await endpoint.send({ jsonrpc: '2.0', id: '1', method: 'getSlot', params: [] }, 'settlement').catch(() => undefined)
    }
    await send()
    await send()
    server.behave(status(429))
    await send()
    server.behave(status(500))
    await send()
    server.behave(status(400))
    await send()
    await server.stop()
    await send()
    endpoint.stop()
    await send()
    expect(endpoint.requests).toEqual({
      answered: 2,
      'rate-limited': 1,
      broken: 1,
      refused: 1,
      lost: 1,
      unsent: 1,
      busy: 0,
      foreign: 0,
    })
  })
})

describe('the part of the budget that was used lately', () => {
  it('is the rate of the newest requests, as many as a second allows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1_000, max: 100_000 }), async (perSecond, millis) => {
        let now = 0
        const limits = { perSecond, maxInFlight: 1_000, maxWaiting: 1_000, maxWaitMillis: 1, longestWaitMillis: 1 }
        const queue = new RequestQueue(limits, () => now)
        expect(queue.usedRatio).toBe(0)
        for (let sent = 0; sent < perSecond; sent++) {
          now = (sent * millis) / perSecond
          await queue.run('settlement', async () => undefined)
        }
        now = millis
        expect(queue.usedRatio).toBeCloseTo(1_000 / millis, 9)
        now = 2 * millis
        expect(queue.usedRatio).toBeCloseTo(500 / millis, 9)
      }),
    )
  })

  it('is never above 1', async () => {
    const queue = new RequestQueue({ perSecond: 2, maxInFlight: 9, maxWaiting: 9, maxWaitMillis: 1, longestWaitMillis: 1 }, () => 5)
    for (const _ of [1, 2]) await queue.run('settlement', async () => undefined)
    expect(queue.usedRatio).toBe(1)
  })
})

import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Endpoint } from '../../src/chain/rpc/endpoint.ts'
import { RequestQueue } from '../../src/chain/rpc/request-queue.ts'
import { Counter, Histogram, renderFamilies } from '../../src/metrics/instruments.ts'
import { readConfig } from '../../src/config.ts'
import { result, startFrontServer, status } from '../chain/rpc/front-server.ts'
import { parseMetrics, valueOf } from './parsed-metrics.ts'

const labelValue = fc.string({ unit: fc.constantFrom('a', 'B', '"', '\\', '\n', ' ', ',', '=', '{', '}', 'é', 'n') })

describe('the text format', () => {
  it('returns every label and value, whatever they contain', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(labelValue, labelValue), { selector: (pair) => JSON.stringify(pair) }),
        fc.double(),
        (pairs, value) => {
          const samples = pairs.map(([one, two]) => ({ labels: { one, two }, value }))
          const [family] = parseMetrics(renderFamilies([{ name: 'a_name', help: 'In words, \\ and\nmore.', type: 'gauge', samples }]))
          // The text has one zero.
          const same = value === 0 ? 0 : value
          expect(family).toEqual({
            name: 'a_name',
            help: 'In words, \\ and\nmore.',
            type: 'gauge',
            samples: pairs.map(([one, two]) => ({ name: 'a_name', labels: { one, two }, value: same })),
          })
        },
      ),
    )
  })

  it('tells a family without a sample, and no zero for it', () => {
    expect(renderFamilies([{ name: 'a_name', help: 'Unknown.', type: 'gauge', samples: [] }])).toBe(
      '# HELP a_name Unknown.\n# TYPE a_name gauge\n',
    )
  })
})

describe('a histogram', () => {
  it('counts each value in every bucket that it is not above, for each label by itself', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: -120, max: 120 }))),
        (unsorted, observed) => {
          const bounds = unsorted.toSorted((a, b) => a - b)
          const histogram = new Histogram('h', 'A histogram.', { bounds, labelName: 'of' })
          for (const [of, value] of observed) histogram.of(of).observe(value)
          const families = parseMetrics(renderFamilies([histogram.family()]))
          for (const of of new Set(observed.map(([name]) => name))) {
            const own = observed.filter(([name]) => name === of).map(([, value]) => value)
            for (const bound of bounds) {
              expect(valueOf(families, 'h_bucket', { of, le: String(bound) })).toBe(own.filter((value) => value <= bound).length)
            }
            expect(valueOf(families, 'h_bucket', { of, le: '+Inf' })).toBe(own.length)
            expect(valueOf(families, 'h_count', { of })).toBe(own.length)
            expect(valueOf(families, 'h_sum', { of })).toBe(own.reduce((sum, value) => sum + value, 0))
          }
        },
      ),
    )
  })
})

describe('a counter', () => {
  it('without labels begins at zero, so that its first increase is seen', () => {
    expect(valueOf(parseMetrics(renderFamilies([new Counter('c_total', 'A counter.').family()])), 'c_total')).toBe(0)
  })

  it('keeps a count for each combination of its labels', () => {
    const counter = new Counter('c_total', 'A counter.', ['one', 'two'])
    counter.of('a', 'b').value += 2
    counter.of('a', 'c').value += 1
    counter.of('a', 'b').value += 1
    const families = parseMetrics(renderFamilies([counter.family()]))
    expect(families[0]?.samples).toEqual([
      { name: 'c_total', labels: { one: 'a', two: 'b' }, value: 3 },
      { name: 'c_total', labels: { one: 'a', two: 'c' }, value: 1 },
    ])
  })
})

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
    for (const code of [429, 500, 400]) {
      server.behave(status(code))
      await send()
    }
    await server.stop()
    await send()
    endpoint.stop()
    await send()
    const others = { broken: 1, refused: 1, lost: 1, unsent: 1, busy: 0, foreign: 0 }
    expect(endpoint.requests).toEqual({ answered: 2, 'rate-limited': 1, ...others })
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

describe('the settings of metrics', () => {
  it('are off unless a port is named, and then stay on this machine', () => {
    expect(readConfig({}).metrics).toBeUndefined()
    expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 })
    expect(readConfig({ METRICS_PORT: '9464', METRICS_HOST: '10.0.0.11' }).metrics).toEqual({ host: '10.0.0.11', port: 9464 })
  })

  it.each([
    [{ METRICS_PORT: '0' }, 'METRICS_PORT is "0". It must be a whole number from 1 to 65535.'],
    [{ METRICS_PORT: 'on' }, 'METRICS_PORT is "on". It must be a whole number from 1 to 65535.'],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT is the same as PORT. Metrics are served apart from the market: choose another port.'],
    [{ METRICS_HOST: '10.0.0.11' }, 'METRICS_HOST is set, but METRICS_PORT is not. Set it to the port that metrics are served on.'],
    [{ METRICS_PORT: '9464', METRICS_HOST: 'http://here' }, 'METRICS_HOST is "http://here". It must be an IP address or a host name.'],
  ])('%j is refused with a sentence', (settings, sentence) => {
    expect(() => readConfig(settings)).toThrow(sentence)
  })
})

import { expect, onTestFinished, test } from 'vitest'
import { Endpoint } from '../../../src/chain/rpc/endpoint.ts'
import { startFrontServer } from './front-server.ts'
import { mostInASecond } from './most-in-a-second.ts'

const STALL_MILLIS = [300, 5, 200, 60, 120, 20]
const now = () => performance.now()

/** Keeps the process from doing anything else. */
function stall(millis: number): void {
  const end = now() + millis
  while (now() < end);
}

/** An endpoint that notes when each request arrives, and ends the connection after every third one. */
async function countingServer(arrivals: number[]) {
  const server = await startFrontServer(({ id }, response) => {
    arrivals.push(now())
    if (arrivals.length % 3 === 0) response.setHeader('connection', 'close')
    return { jsonrpc: '2.0', id, result: 'ok' }
  })
  onTestFinished(() => server.stop())
  return server
}

test.for([10, 40, 50])(
  'an endpoint that allows %i requests a second gets no more in any second, while the sender stalls',
  async (limit) => {
    const arrivals: number[] = []
    const { url } = await countingServer(arrivals)
    const endpoint = new Endpoint({ url, host: 'counting', now, requestsPerSecond: limit })
    onTestFinished(() => endpoint.stop())
    const requests = Array.from({ length: 3 * limit }, (_, id) =>
      endpoint.send({ jsonrpc: '2.0', id: String(id), method: 'getBlock', params: [id] }, 'settlement'),
    )
    // The first requests have their permits and have not left.
    let stalls = 0
    const stallNext = () => stall(STALL_MILLIS[stalls++ % STALL_MILLIS.length] ?? 0)
    stallNext()
    const timer = setInterval(stallNext, 150)
    onTestFinished(() => clearInterval(timer))
    await Promise.all(requests)
    expect(arrivals).toHaveLength(3 * limit)
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(limit)
  },
)

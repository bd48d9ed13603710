import { beforeAll, describe, expect, test } from 'vitest'
import { type ChainOptions, type SolanaChain } from '../../../src/chain/client/solana-chain.ts'
import { collectLog } from '../../runtime/collected-log.ts'
import { pay, signPayment, useChainClients } from '../chain-clients.ts'
import { type Answer, result, status } from './front-server.ts'
import { type Wallet } from '../transactions/transactions.ts'

const clients = useChainClients({ probeMillis: 60_000 })
const FAR = 1_000_000

let buyer: Wallet
beforeAll(async () => {
  buyer = await clients.fundedWallet()
})

/** Raises slots and heights in the next answers, so many of them. */
function raising(times: number, by = FAR): Answer {
  let left = times
  return async (call, response) => {
    const reply = await clients.handOn(call, response)
    if (left-- <= 0) return reply
    return JSON.parse(JSON.stringify(reply), (name, value: unknown) => {
      const isNumber = typeof value === 'number' && ['slot', 'lastValidBlockHeight', 'result'].includes(name)
      return isNumber ? value + by : value
    })
  }
}

/** A client of two endpoints, the first of which lies when a test says so; it has a secret in its URL. */
async function besideLiar(options: Partial<ChainOptions> = {}) {
  const [liar, honest] = [await clients.front(), await clients.front()]
  const { log, lines } = collectLog()
  const chain = await clients.start([`${liar.url}/secret-key`, honest.url], { log, ...options })
  return { liar, honest, chain, lines, warnings: () => lines.filter(({ msg }) => String(msg).includes('far from the finalized chain')) }
}

/** What a client tells of the chain, none of it from a cache that outlives the answer. */
const readings: [string, string, (chain: SolanaChain) => Promise<bigint>][] = [
  ['the slot', 'getSlot', (chain) => chain.highestSlot()],
  ['the slot that was reached', 'getSlot', (chain) => chain.reachedSlot()],
  [
    'the slot of balances',
    'getMultipleAccounts',
    async (chain) => (await chain.balance(buyer.address, { fresh: true }), chain.highestSlot()),
  ],
  ['the height at which a blockhash expires', 'getLatestBlockhash', async (chain) => (await chain.latestBlockhash()).lastValidBlockHeight],
  ['the height at which a payment expires', 'getLatestBlockhash', (chain) => chain.expiryHeight(0n)],
  ['the newest height', 'getBlockHeight', (chain) => chain.highestBlockHeight()],
  ['the finalized height', 'getBlockHeight', async (chain) => (await chain.finalized()).height],
  ['the finalized slot', 'getSlot', async (chain) => (await chain.finalized()).slot],
  [
    'the slot of a simulation',
    'simulateTransaction',
    async (chain) => {
      const simulation = await chain.simulate((await signPayment(chain, buyer)).bytes)
      return simulation.kind === 'valid' ? simulation.slot : 0n
    },
  ],
]

describe('one endpoint of two that tells a number a million too high', () => {
  test.each(readings)('once, is not believed: %s', async (_, method, read) => {
    const { liar, honest, chain } = await besideLiar()
    await chain.finalized()
    // Whichever is asked first is the one that lies.
    const answer = raising(1)
    for (const front of [liar, honest]) front.override({ [method]: answer })
    const told = await read(chain)
    expect([...liar.calls, ...honest.calls]).toContain(method)
    expect(told).toBeGreaterThan(0n)
    expect(told).toBeLessThan(BigInt(FAR))
  })

  test.each(readings)('always, from the start, is not believed: %s', async (_, method, read) => {
    const { liar, chain } = await besideLiar()
    liar.override({ [method]: raising(Infinity) })
    let told = 0n
    // Whose turn it is depends on what else they were asked.
    for (let time = 0; time < 10 && !liar.calls.includes(method); time++) told = await read(chain)
    expect(liar.calls).toContain(method)
    expect(told).toBeGreaterThan(0n)
    expect(told).toBeLessThan(BigInt(FAR))
  })

  test('is logged once, by its name', async () => {
    const { liar, chain, warnings } = await besideLiar()
    liar.override({ getBlockHeight: raising(Infinity) })
    for (let time = 0; time < 3; time++) await chain.highestBlockHeight()
    expect(warnings()).toMatchObject([{ endpoint: `127.0.0.1:${liar.port}` }])
    expect(JSON.stringify(warnings())).not.toContain('secret')
  })
})

test('two endpoints that agree are believed, however far the chain has come', async () => {
  const { liar, honest, chain, warnings } = await besideLiar()
  await chain.finalized()
  const ahead = { getSlot: raising(Infinity), getBlockHeight: raising(Infinity) }
  for (const front of [liar, honest]) front.override(ahead)
  await expect.poll(() => chain.highestBlockHeight(), { timeout: 10_000 }).toBeGreaterThan(BigInt(FAR))
  expect(warnings().length).toBeLessThanOrEqual(2)
})

test.each(readings.filter(([, method]) => method === 'getSlot' || method === 'getBlockHeight'))(
  'an endpoint that lied while no other answered is not believed once another does: %s',
  async (_, method, read) => {
    const { liar, honest, chain } = await besideLiar({ probeMillis: 200 })
    await chain.finalized()
    honest.override({ getSlot: status(500), getBlockHeight: status(500) })
    liar.override({ getSlot: raising(Infinity), getBlockHeight: raising(Infinity) })
    await expect.poll(() => read(chain), { timeout: 10_000 }).toBeGreaterThan(BigInt(FAR))
    for (const front of [liar, honest]) front.override({})
    expect(liar.calls).toContain(method)
    await expect.poll(() => read(chain), { timeout: 10_000 }).toBeLessThan(BigInt(FAR))
  },
)

test('an endpoint that lied while no other answered, from the start, is not believed once another does, though it lies on', async () => {
  const { liar, honest, chain } = await besideLiar({ probeMillis: 200 })
  honest.override({ getSlot: status(500), getBlockHeight: status(500) })
  liar.override({ getSlot: raising(Infinity), getBlockHeight: raising(Infinity) })
  await expect.poll(() => chain.reachedSlot(), { timeout: 10_000 }).toBeGreaterThan(BigInt(FAR))
  honest.override({})
  await expect.poll(() => chain.reachedSlot(), { timeout: 15_000 }).toBeLessThan(BigInt(FAR))
})

test('an expiry is not too low because one endpoint is thousands of blocks behind, or says so', async () => {
  const { honest, chain } = await besideLiar()
  const ahead = raising(Infinity, 4_000)
  honest.override({ getSlot: ahead, getBlockHeight: ahead, getLatestBlockhash: ahead })
  for (let time = 0; time < 5; time++) expect(await chain.expiryHeight(0n)).toBeGreaterThan(4_000n)
})

test('a transaction failed only if every endpoint shows that it did', async () => {
  const { liar, honest, chain } = await besideLiar()
  const { signature } = await pay(chain, buyer)
  const failing: Answer = async (call, response) => {
    const reply = JSON.stringify(await clients.handOn(call, response))
    return JSON.parse(reply.replace('"err":null', '"err":"AccountInUse"')) as unknown
  }
  for (const front of [liar, honest]) {
    for (const each of [liar, honest]) each.override(each === front ? { getTransaction: failing } : {})
    expect(await chain.transaction(signature)).toMatchObject({ signature, failed: false })
  }
})

describe('the slots of a transaction', () => {
  async function landed() {
    const world = await besideLiar()
    const { signature, slot } = await pay(world.chain, buyer)
    return { ...world, signature, slot }
  }

  test('are those that all endpoints tell', async () => {
    const { liar, chain, signature, slot } = await landed()
    liar.override({
      getSignatureStatuses: result({ value: [{ slot: 1, err: null, confirmations: null, confirmationStatus: 'finalized' }] }),
    })
    expect(await chain.landedSlots(signature)).toEqual({ slots: expect.arrayContaining([1n, slot]), silent: 0 })
  })

  test.each([
    ['does not answer', status(500)],
    ['does not know it', result({ value: [null] })],
    [
      'tells one far above the chain',
      result({ value: [{ slot: FAR ** 2, err: null, confirmations: null, confirmationStatus: 'finalized' }] }),
    ],
  ])('are those of the others if one %s', async (_, answer) => {
    const { liar, chain, signature, slot } = await landed()
    liar.override({ getSignatureStatuses: answer })
    expect(await chain.landedSlots(signature)).toEqual({ slots: [slot], silent: 1 })
  })
})

test('the only endpoint has nothing to be compared with', async () => {
  const { only, chain } = await clients.startBehindFront()
  only.override({ getSlot: result(FAR) })
  expect(await chain.highestSlot()).toBe(BigInt(FAR))
})

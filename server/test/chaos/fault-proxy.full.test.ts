import { base58, base64 } from '@scure/base'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../chaos/chain-faults/fault-proxy.ts'
import { type FaultRates, noFaults } from '../../chaos/chain-faults/faults.ts'
import { type LocalChain } from '../../src/embedded/local-chain.ts'
import { newWallet, payment, sign } from '../chain/transactions/transactions.ts'
import { startTestChain } from '../support/test-chain.ts'

const slotMillis = 50
let chain: LocalChain

beforeAll(async () => {
  chain = await startTestChain({ slotMillis })
})

afterAll(() => chain.stop())

async function proxyWith(rates: Partial<FaultRates>, seed = 1): Promise<FaultProxy> {
  const proxy = await startFaultProxy({ target: chain.rpcUrl, seed, slotMillis, rates: { ...noFaults, ...rates } })
  onTestFinished(() => proxy.stop())
  return proxy
}

/** The result, or a description of the failure. */
async function ask<T = unknown>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const outcome: unknown = await fetch(url, { method: 'POST', headers, body }).then(
    async (response) => {
      if (response.status !== 200) return `status ${response.status}, retry after ${response.headers.get('retry-after')}`
      const reply = (await response.json()) as { result?: unknown; error?: { code: number } }
      return 'error' in reply ? `error ${reply.error?.code}` : reply.result
    },
    () => 'connection lost',
  )
  return outcome as T
}

const getSlot = (url: string) => ask<number>(url, 'getSlot', { commitment: 'processed' })
const statusOf = (url: string, signature: string) =>
  ask<{ value: unknown[] }>(url, 'getSignatureStatuses', [signature], { searchTransactionHistory: true }).then(({ value }) => value[0])
const transactionOf = (url: string, signature: string) =>
  ask(url, 'getTransaction', signature, { commitment: 'confirmed', encoding: 'base64' })
const signaturesOf = (url: string, address: string) =>
  ask<{ signature: string }[]>(url, 'getSignaturesForAddress', address).then((entries) => entries.map((entry) => entry.signature))

/** A transfer that nobody has sent yet. */
async function signedTransfer() {
  const [from, to] = await Promise.all([newWallet(), newWallet()])
  await ask(chain.rpcUrl, 'requestAirdrop', from.address, 1_000_000_000)
  await expect.poll(() => ask(chain.rpcUrl, 'getBalance', from.address)).toMatchObject({ value: 1_000_000_000 })
  const { value } = await ask<{ value: { blockhash: string; lastValidBlockHeight: number } }>(chain.rpcUrl, 'getLatestBlockhash')
  const lifetime = { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
  const transaction = await sign(0, from.signer, [payment(from.signer, to.address, 5_000_000n)], lifetime)
  return { to: to.address, transaction, signature: signatureIn(transaction) }
}

function signatureIn(transaction: string): string {
  return base58.encode(base64.decode(transaction).subarray(1, 65))
}

/** A transfer that is confirmed on the chain itself. */
async function landedTransfer() {
  const { to, transaction, signature } = await signedTransfer()
  await ask(chain.rpcUrl, 'sendTransaction', transaction, { encoding: 'base64', skipPreflight: true })
  await expect.poll(() => statusOf(chain.rpcUrl, signature), { interval: 10 }).toMatchObject({ confirmationStatus: 'confirmed' })
  return { to, transaction, signature }
}

describe('a faulty call', () => {
  it('does not happen if no fault is configured', async () => {
    const proxy = await proxyWith({})
    expect(await ask(proxy.url, 'getGenesisHash')).toBe(await ask(chain.rpcUrl, 'getGenesisHash'))
    expect(Object.values(proxy.counts)).toEqual(Array.from({ length: 11 }, () => 0))
  })

  it.each([
    ['dropped', 'connection lost'],
    ['lostReply', 'connection lost'],
    ['rateLimited', 'status 429, retry after 1'],
    ['failed', expect.stringMatching(/^status 50[023]/)],
  ] as const)('%s', async (fault, outcome) => {
    const proxy = await proxyWith({ calls: { [fault]: 1 } })
    expect(await getSlot(proxy.url)).toEqual(outcome)
    expect(proxy.counts[fault]).toBe(1)
  })

  it('loses its reply only after the chain has executed it', async () => {
    const proxy = await proxyWith({ calls: { lostReply: 1 } })
    const { address } = await newWallet()
    expect(await ask(proxy.url, 'requestAirdrop', address, 7_000_000)).toBe('connection lost')
    await expect.poll(() => ask(chain.rpcUrl, 'getBalance', address)).toMatchObject({ value: 7_000_000 })
  })

  it.each([
    ['callerKilled', 0],
    ['callerKilledAfter', 7_000_000],
  ] as const)('%s', async (fault, lamports) => {
    const killed: number[] = []
    const rates = { ...noFaults, calls: { [fault]: 1 } }
    const proxy = await startFaultProxy({ target: chain.rpcUrl, seed: 1, slotMillis, rates, kill: (server) => killed.push(server) })
    onTestFinished(() => proxy.stop())
    const { address } = await newWallet()
    const [, url = ''] = proxy.urlsFor(1).split(',')
    expect(await ask(url, 'requestAirdrop', address, 7_000_000)).toBe('connection lost')
    expect(killed).toEqual([1])
    await expect.poll(() => ask(chain.rpcUrl, 'getBalance', address)).toMatchObject({ value: lamports })
  })

  it('lies at one of its two endpoints, while it is told to', async () => {
    const proxy = await proxyWith({})
    const [honest = '', liar = ''] = proxy.urlsFor(0).split(',')
    proxy.lie('farAhead')
    expect(await getSlot(liar)).toBeGreaterThan(1_000_000)
    expect(await getSlot(honest)).toBeLessThan(1_000_000)
    proxy.lie(undefined)
    expect(await getSlot(liar)).toBeLessThan(1_000_000)
  })

  it('sends what it is asked to simulate while it lies so', async () => {
    const proxy = await proxyWith({})
    const [, liar = ''] = proxy.urlsFor(0).split(',')
    proxy.lie('broadcasting')
    const { transaction, signature } = await signedTransfer()
    await ask(liar, 'simulateTransaction', transaction, { encoding: 'base64' })
    await expect.poll(() => statusOf(chain.rpcUrl, signature)).toMatchObject({ err: null })
  })

  it('answered by a stale RPC node shows an older slot, refuses a later one, and hides what landed since', async () => {
    const proxy = await proxyWith({ calls: { stale: 1 } })
    await expect.poll(() => getSlot(chain.rpcUrl)).toBeGreaterThan(45)
    const { signature, to } = await landedTransfer()
    // Else the stale node would know it too after 40 slots, which are two seconds.
    await ask(chain.rpcUrl, 'surfnet_pauseClock')
    onTestFinished(() => ask<void>(chain.rpcUrl, 'surfnet_resumeClock'))
    const slot = await getSlot(chain.rpcUrl)
    expect(await getSlot(proxy.url)).toBeLessThan(slot)
    expect(await ask(proxy.url, 'getSignaturesForAddress', to, { minContextSlot: slot })).toBe('error -32016')
    expect(await signaturesOf(proxy.url, to)).toEqual([])
    expect(await statusOf(proxy.url, signature)).toBeNull()
    await ask(chain.rpcUrl, 'surfnet_resumeClock')
    await expect.poll(() => statusOf(proxy.url, signature)).not.toBeNull()
    expect(await signaturesOf(proxy.url, to)).toEqual([signature])
  })

  it('is the same one again under the same seed, and another under another seed', async () => {
    const calls = { dropped: 0.2, failed: 0.2, rateLimited: 0.2 }
    const outcomes = async (seed: number) => {
      const { url } = await proxyWith({ calls }, seed)
      const seen: unknown[] = []
      for (let n = 0; n < 40; n++) seen.push(await ask(url, 'getHealth'))
      return seen
    }
    const [first, again, other] = await Promise.all([outcomes(7), outcomes(7), outcomes(8)])
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

describe('a confirmed transaction', () => {
  it('vanishes from every answer for a while', async () => {
    const proxy = await proxyWith({ transactions: { vanished: 1 } })
    const { signature, to } = await landedTransfer()
    // The proxy measures that while by this clock, which moves only as it is told to.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await statusOf(proxy.url, signature)
    vi.advanceTimersByTime(6 * slotMillis)
    expect(await statusOf(proxy.url, signature)).toBeNull()
    expect([await transactionOf(proxy.url, signature), await signaturesOf(proxy.url, to)]).toEqual([null, []])
    vi.advanceTimersByTime(20 * slotMillis)
    expect(await statusOf(proxy.url, signature)).toMatchObject({ err: null })
    expect(proxy.counts.vanished).toBe(1)
  })

  it('is rolled back for ever, and its bytes cannot land again', async () => {
    const proxy = await proxyWith({ transactions: { rolledBack: 1 } })
    const { signature, to, transaction } = await landedTransfer()
    await expect.poll(() => statusOf(proxy.url, signature)).toBeNull()
    expect(await ask(proxy.url, 'sendTransaction', transaction, { encoding: 'base64' })).toBe(signature)
    proxy.calm()
    const slot = await getSlot(chain.rpcUrl)
    await expect.poll(() => getSlot(chain.rpcUrl)).toBeGreaterThan(slot + 40)
    expect([await statusOf(proxy.url, signature), await transactionOf(proxy.url, signature), await signaturesOf(proxy.url, to)]).toEqual([
      null,
      null,
      [],
    ])
    expect([...proxy.rolledBack]).toEqual([signature])
  })
})

it('a stalled chain answers nothing until the stall is over', async () => {
  const proxy = await proxyWith({})
  const startedAt = performance.now()
  const [, slot] = await Promise.all([proxy.stall(300), getSlot(proxy.url)])
  expect(slot).toEqual(expect.any(Number))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290)
})

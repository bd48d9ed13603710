import { address, createSolanaRpc, type Rpc, type SolanaRpcApi } from '@solana/kit'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRelay } from '../../../src/chain/client/relay.ts'
import { decodeSignedTransaction } from '../../../src/chain/transactions/signed-transaction.ts'
import { type SolanaChain } from '../../../src/chain/client/solana-chain.ts'
import { useChainClients } from '../chain-clients.ts'
import { type FrontServer, status } from '../rpc/front-server.ts'
import { newWallet, payment, sign } from '../transactions/transactions.ts'
import { type Relay } from '../../../src/chain/chain.ts'

const SOL = 1_000_000_000
const key = 'very-secret-key'

const clients = useChainClients()

let endpoint: FrontServer
let chain: SolanaChain
let relay: Relay
let rpc: Rpc<SolanaRpcApi>

beforeAll(async () => {
  endpoint = await clients.front()
  chain = await clients.start([`${endpoint.url}/${key}`])
  relay = createRelay(chain.pool, { demo: true })
  const page = await clients.front(async (call) => JSON.parse(await relay({ jsonrpc: '2.0', ...call })))
  rpc = createSolanaRpc(page.url)
})

beforeEach(async () => {
  endpoint.behave(clients.handOn)
  await chain.genesisHash()
  endpoint.calls.length = 0
})

/** A client that may ask the endpoint twice a second, and a relay that shares it. */
async function startScarce() {
  const scarce = await clients.start([endpoint.url], { requestsPerSecond: 2, probeMillis: 60_000 })
  endpoint.calls.length = 0
  return { scarce, flooded: createRelay(scarce.pool, { demo: false }) }
}

function ask(method: string, params?: unknown, id: unknown = 1, on = relay): Promise<string> {
  return on({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })
}

describe('the relay', () => {
  test("serves a web app's chain client from airdrop to payment", async () => {
    const { signer } = await newWallet()
    const reference = (await newWallet()).address
    await rpc.requestAirdrop(signer.address, BigInt(SOL) as Parameters<typeof rpc.requestAirdrop>[1]).send()
    await expect.poll(async () => (await rpc.getBalance(signer.address).send()).value, { interval: 100 }).toBe(BigInt(SOL))
    const { value: lifetime } = await rpc.getLatestBlockhash().send()
    const text = await sign(0, signer, [payment(signer, (await newWallet()).address, 1_000_000n, reference)], lifetime)
    const wire = text as Parameters<typeof rpc.sendTransaction>[0]
    expect((await rpc.simulateTransaction(wire, { encoding: 'base64' }).send()).value.err).toBeNull()
    const signature = await rpc.sendTransaction(wire, { encoding: 'base64' }).send()
    expect(signature).toBe(decodeSignedTransaction(text)?.signature)
    await expect.poll(async () => (await rpc.getSignatureStatuses([signature]).send()).value[0]).not.toBeNull()
    const config = { encoding: 'base64', maxSupportedTransactionVersion: 0 } as const
    expect((await rpc.getTransaction(signature, config).send())?.meta?.err).toBeNull()
  })

  test('offers every read that a web app needs', async () => {
    const wallet = (await newWallet()).signer.address
    expect(await rpc.getGenesisHash().send()).toBe(await chain.genesisHash())
    expect(await rpc.getMinimumBalanceForRentExemption(0n).send()).toBe(890_880n)
    expect(await rpc.getSlot().send()).toBeGreaterThan(0n)
    expect(await rpc.getBlockHeight().send()).toBeGreaterThanOrEqual(0n)
    expect(await rpc.getHealth().send()).toBe('ok')
    expect(await rpc.getVersion().send()).toHaveProperty('solana-core')
    expect((await rpc.getAccountInfo(wallet, { encoding: 'base64' }).send()).value).toBeNull()
    const { value } = await rpc.getLatestBlockhash().send()
    expect((await rpc.isBlockhashValid(value.blockhash).send()).value).toBe(true)
  })

  test("keeps the caller's id and exact integers", async () => {
    endpoint.behave((_, response) => void response.end('{"jsonrpc":"2.0","id":"x","result":18446744073709551615}'))
    expect(await ask('getMinimumBalanceForRentExemption', [123], 'mine')).toBe(
      '{"jsonrpc":"2.0","id":"mine","result":18446744073709551615}',
    )
    expect(await ask('getMinimumBalanceForRentExemption', [123], null)).toContain('"id":null')
  })

  test('asks the chain once for what several callers want to know at the same time', async () => {
    const { address: wallet } = await newWallet()
    await Promise.all([1, 2, 3].map((id) => ask('getBalance', [wallet], id)))
    await ask('getBalance', [wallet])
    expect(endpoint.calls).toEqual(['getBalance'])
  })

  test('returns the cached answer if its slot is late enough, and asks the chain only if it is not', async () => {
    const still = createRelay(chain.pool, { demo: false, clock: () => 0 })
    const blockhash = async (minContextSlot?: number) =>
      JSON.parse(await ask('getLatestBlockhash', minContextSlot === undefined ? [] : [{ minContextSlot }], 1, still))
    endpoint.behave((call) => {
      const late = JSON.stringify(call.params).includes('101')
      const error = { code: -32016, message: 'Minimum context slot has not been reached' }
      return { jsonrpc: '2.0', id: call.id, ...(late ? { error } : { result: { context: { slot: 100 }, value: 'the blockhash' } }) }
    })
    for (const slot of [1, 50, 99, 100]) expect((await blockhash(slot)).result.value).toBe('the blockhash')
    expect(endpoint.calls).toEqual(['getLatestBlockhash'])
    expect((await blockhash(101)).error.code).toBe(-32016)
    expect(endpoint.calls).toHaveLength(2)
  })

  test("takes nothing from the server's own calls: they go before all calls of web apps", async () => {
    const { scarce, flooded } = await startScarce()
    const { address: wallet, signer } = await newWallet()
    const sent = await sign(0, signer, [payment(signer, wallet, 1n)])
    const flood = [
      ...Array.from({ length: 10 }, (_, slot) => ask('getLatestBlockhash', [{ minContextSlot: 1e9 + slot }], 1, flooded)),
      ...Array.from({ length: 10 }, () => ask('sendTransaction', [sent, { encoding: 'base64' }], 1, flooded)),
    ]
    const outcomes = Promise.allSettled(flood)
    await Promise.all([scarce.balance(wallet), scarce.latestBlockhash()])
    // What the web apps got first is at most what one second allows.
    expect(endpoint.calls).toContain('getMultipleAccounts')
    expect(endpoint.calls.length).toBeLessThanOrEqual(2 + 2)
    expect(scarce.pool.backlogSeconds('relay')).toBeGreaterThan(10 / 2)
    expect(scarce.isSaturated()).toBe(false)
    await scarce.stop()
    await outcomes
  })

  test('gets a web app the blockhash for its payment whatever others ask for', async () => {
    const { scarce, flooded } = await startScarce()
    const wallets = await Promise.all(Array.from({ length: 20 }, newWallet))
    const outcomes = Promise.allSettled(wallets.map(({ address: wallet }) => ask('getBalance', [wallet], 1, flooded)))
    await Promise.all([[], [{ commitment: 'confirmed' }]].map((params) => ask('getLatestBlockhash', params, 1, flooded)))
    expect(endpoint.calls.length).toBeLessThanOrEqual(2 + 2)
    await scarce.stop()
    await outcomes
  })

  test('bounds how much of an account it returns', async () => {
    endpoint.behave((call) => ({ jsonrpc: '2.0', id: call.id, result: call.params }))
    const { address: wallet } = await newWallet()
    const [, config] = JSON.parse(await ask('getAccountInfo', [wallet])).result
    expect(config).toEqual({ encoding: 'base64', dataSlice: { offset: 0, length: 1024 } })
    const dataSlice = { offset: 8, length: 32 }
    const [, sliced] = JSON.parse(await ask('getAccountInfo', [wallet, { dataSlice }])).result
    expect(sliced).toEqual({ encoding: 'base64', dataSlice })
    await expect(ask('getAccountInfo', [wallet, { dataSlice: { offset: 0, length: 1025 } }])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(ask('getAccountInfo', [wallet, { encoding: 'jsonParsed' }])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  const refused = ['getProgramAccounts', 'getSignaturesForAddress', 'getBlock', 'getClusterNodes', 'toString', '__proto__', '']

  test.each(refused)('refuses %s', async (method) => {
    await expect(ask(method, [])).rejects.toMatchObject({ code: 'RPC_REFUSED' })
    expect(endpoint.calls).toEqual([])
  })

  test.each<[string, unknown]>([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'getSlot' }]],
    ['nothing', undefined],
    ['a text', 'getSlot'],
    ['another protocol', { jsonrpc: '1.0', id: 1, method: 'getSlot' }],
    ['named params', { jsonrpc: '2.0', id: 1, method: 'getSlot', params: { commitment: 'confirmed' } }],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'getSlot' }],
    ['a further field', { jsonrpc: '2.0', id: 1, method: 'getSlot', url: 'http://localhost' }],
  ])('refuses %s for a request', async (_, request) => {
    await expect(relay(request)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  test.each<[string, unknown[]]>([
    ['getBalance', []],
    ['getBalance', [5]],
    ['getBalance', ['not-an-address-not-an-address-000']],
    ['getBalance', ['11111111111111111111111111111111', { commitment: 'sometimes' }]],
    ['getBalance', ['11111111111111111111111111111111', { dataSlice: {} }]],
    ['getSlot', [{}, {}]],
    ['getSignatureStatuses', [Array.from({ length: 257 }, () => '1'.repeat(64))]],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }]],
    ['sendTransaction', ['A'.repeat(5468), { encoding: 'base64' }]],
    ['sendTransaction', ['3Bxs']],
    ['simulateTransaction', ['AAAA', { encoding: 'base64' }]],
    ['requestAirdrop', ['11111111111111111111111111111111', 5 * SOL + 1]],
    ['requestAirdrop', ['11111111111111111111111111111111', 0.5]],
  ])('refuses %s with params that do not fit', async (method, params) => {
    await expect(ask(method, params)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(endpoint.calls).toEqual([])
  })

  test('gives test SOL only in a demo, and never asks twice', async () => {
    const { address: wallet } = await newWallet()
    const real = createRelay(chain.pool, { demo: false })
    await expect(ask('requestAirdrop', [wallet, SOL], 1, real)).rejects.toMatchObject({ code: 'RPC_REFUSED' })
    expect(endpoint.calls).toEqual([])
    endpoint.override({ requestAirdrop: (_, response) => void response.destroy() })
    await expect(ask('requestAirdrop', [wallet, 5 * SOL])).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    expect(endpoint.calls.filter((method) => method === 'requestAirdrop')).toHaveLength(1)
  })

  test("passes the chain's own error on, without what could identify the endpoint", async () => {
    const error = {
      code: -32000,
      message: `no quota for ${key} at ${endpoint.url}/${key}`,
      data: { host: [`127.0.0.1:${endpoint.port}`], slot: endpoint.port },
    }
    endpoint.behave((call) => ({ jsonrpc: '2.0', id: call.id, error }))
    const reply = await ask('getFeeForMessage', ['AAAA'])
    expect(JSON.parse(reply)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32000, message: 'no quota for … at …', data: { host: ['…'], slot: endpoint.port } },
    })
  })

  test('does not cache an error', async () => {
    endpoint.behave((call) => ({ jsonrpc: '2.0', id: call.id, error: { code: -32000, message: 'not now' } }))
    expect(await ask('getMinimumBalanceForRentExemption', [77])).toContain('not now')
    endpoint.behave(clients.handOn)
    expect(await ask('getMinimumBalanceForRentExemption', [77])).toContain('"result"')
  })

  test('says when the chain is down', async () => {
    endpoint.behave(status(500))
    await expect(ask('getBalance', [address('SysvarC1ock11111111111111111111111111111111')])).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })
})

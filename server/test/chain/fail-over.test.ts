import { Failure } from '@juicebar/contract/errors'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { decodeSignedTransaction } from '../../src/chain/transactions/signed-transaction.ts'
import { type ChainOptions, createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { ConfigError } from '../../src/settings/config-error.ts'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { type FrontServer, handOnTo, hang, result, startFrontServer, status } from './front-server.ts'
import { airdrop, FIRST_SLOT, sharedChain, startSurfnet, type TestChain } from '../support/test-chain.ts'
import { newWallet, payment, sign } from './transactions.ts'

const SOL = 1_000_000_000n
const log = pino({ level: 'silent' })
const otherGenesis = 'AnotherLocaLChainsGenesisHashxxxxxxxxxxxxxx'
const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const waiting = { timeout: 30_000, interval: 50 }
/** Longer than a busy machine takes to answer. Where an endpoint hangs, the test waits this long and needs less. */
const PATIENT_MILLIS = 10_000
const HANG_MILLIS = 3_000

let surfnet: TestChain
let handOn: ReturnType<typeof handOnTo>
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  surfnet = await sharedChain()
  handOn = handOnTo(surfnet.rpcUrl)
})

// Once, since the tests run at the same time: most of them wait for an endpoint that hangs.
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function front(behaviour = handOn, port?: number): Promise<FrontServer> {
  const server = await startFrontServer(behaviour, port)
  cleanUps.push(() => server.stop())
  return server
}

async function startChain(endpoints: string[], options: Partial<ChainOptions> = {}): Promise<SolanaChain> {
  const chain = createChain({ endpoints, log, timeoutMillis: PATIENT_MILLIS, probeMillis: 100, ...options })
  cleanUps.push(() => chain.stop())
  await chain.start()
  return chain
}

async function deadUrl(): Promise<string> {
  return `http://127.0.0.1:${await findFreePort()}`
}

/** Answers until the client has started, and misbehaves from then on. */
async function turningBad(behaviour: Parameters<FrontServer['behave']>[0], options: Partial<ChainOptions> = {}) {
  const bad = await front()
  const good = await front()
  const chain = await startChain([bad.url, good.url], options)
  bad.behave(behaviour)
  return { bad, good, chain }
}

function timeoutFor(behaviour: Parameters<FrontServer['behave']>[0]): Partial<ChainOptions> {
  return behaviour === hang ? { timeoutMillis: HANG_MILLIS } : {}
}

describe.concurrent('with one endpoint that misbehaves', () => {
  test.each<[string, Parameters<FrontServer['behave']>[0]]>([
    ['fails', status(500)],
    ['is overloaded', status(429)],
    ['refuses our key', status(401)],
    ['hangs', hang],
    ['drops the connection', (_, response) => void response.destroy()],
    ['is no JSON-RPC server', (_, response) => void response.end('<html>')],
    ['answers nonsense', result({ surprise: true })],
    ['answers null', result(null)],
    ['is behind', (call) => ({ jsonrpc: '2.0', id: call.id, error: { code: -32005, message: 'Node is behind by 42 slots' } })],
  ])('that %s the other one answers', async (_, behaviour) => {
    const { chain } = await turningBad(behaviour, timeoutFor(behaviour))
    const wallet = await newWallet()
    expect(await chain.balance(wallet.address)).toBe(0n)
    expect(await chain.highestSlot()).toBeGreaterThan(0n)
    expect((await chain.finalized()).slot).toBeGreaterThanOrEqual(0n)
    expect(await chain.statuses([])).toEqual(new Map())
    expect(chain.isUp()).toBe(true)
  })

  test('that hangs, only the first call waits for it', async () => {
    const { bad, chain } = await turningBad(hang, { timeoutMillis: HANG_MILLIS })
    await chain.highestSlot()
    const asked = bad.calls.length
    const start = performance.now()
    await chain.highestSlot()
    expect(performance.now() - start).toBeLessThan(HANG_MILLIS - 500)
    expect(bad.calls.length - asked).toBeLessThanOrEqual(1)
  })

  test('that is overloaded, it gets no calls for as long as it asks', async () => {
    const { bad, good, chain } = await turningBad(status(429, { 'retry-after': '60' }))
    await chain.highestSlot()
    const asked = bad.calls.length
    const askedGood = good.calls.length
    await vi.waitFor(() => expect(good.calls.length).toBeGreaterThan(askedGood + 10), waiting)
    await chain.highestSlot()
    expect(bad.calls.length).toBe(asked)
  })

  test('that is overloaded is not sent what waits already', async () => {
    const only = await front()
    const chain = await startChain([only.url], { requestsPerSecond: 3, probeMillis: 60_000, timeoutMillis: 5000 })
    only.behave(status(429, { 'retry-after': '60' }))
    const wallets = await Promise.all(Array.from({ length: 8 }, newWallet))
    const outcomes = await Promise.allSettled(wallets.map((wallet) => chain.balance(wallet.address)))
    expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true)
    expect(only.calls.filter((method) => method === 'getMultipleAccounts').length).toBeLessThanOrEqual(2)
  })

  test('it is used again once it recovers', async () => {
    const { bad, good, chain } = await turningBad(status(503))
    await chain.highestSlot()
    bad.behave(handOn)
    good.behave(status(503))
    await vi.waitFor(async () => expect(await chain.highestSlot()).toBeGreaterThan(0n), waiting)
  })
})

describe.concurrent('when no endpoint answers', () => {
  test.each<[string, Parameters<FrontServer['behave']>[0]]>([
    ['they fail', status(500)],
    ['they hang', hang],
    ['they drop connections', (_, response) => void response.destroy()],
    ['they answer nonsense', result({ surprise: true })],
  ])('since %s, every call fails and none returns an empty answer', async (_, behaviour) => {
    const only = await front()
    const chain = await startChain([only.url], timeoutFor(behaviour))
    const view = await chain.finalized()
    const { address, signer } = await newWallet()
    const text = await sign(0, signer, [payment(signer, address, 1n)], await chain.latestBlockhash())
    const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
    const signature = decodeSignedTransaction(text)?.signature
    if (!signature) throw new Error('no signature')
    only.behave(behaviour)
    const calls = [
      chain.balance(address),
      chain.rentExemptMinimum(),
      chain.highestSlot(),
      chain.highestBlockHeight(),
      chain.finalized(),
      chain.simulate(bytes),
      chain.statuses([signature]),
      chain.recentSignatures(address, 0n, 1),
      view.signaturesFor(address, FIRST_SLOT),
      view.statusOf(signature),
    ]
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Failure && outcome.reason.code)).toEqual(
      calls.map(() => 'CHAIN_DOWN'),
    )
    await vi.waitFor(() => expect(chain.isUp()).toBe(false), waiting)
  })

  test('no error contains the URL or its key', async () => {
    const only = await front()
    const chain = await startChain([`${only.url}/v2/secret-api-key?token=another-secret`])
    only.behave(status(500))
    const error: unknown = await chain.highestSlot().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Failure)
    expect(describeFully(error)).toContain(`127.0.0.1:${only.port}: answered HTTP 500`)
    expect(describeFully(error)).not.toContain('secret')
  })
})

describe.concurrent('at the start', () => {
  test('a dead endpoint is tolerated, and the other one serves', async () => {
    const chain = await startChain([await deadUrl(), surfnet.rpcUrl])
    expect(chain.isUp()).toBe(true)
    expect(await chain.highestSlot()).toBeGreaterThan(0n)
  })

  test('with no endpoint up it waits for one', async () => {
    const port = await findFreePort()
    const chain = await startChain([`http://127.0.0.1:${port}`])
    expect(chain.isUp()).toBe(false)
    await expect(chain.genesisHash()).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    await front(handOn, port)
    await vi.waitFor(() => expect(chain.isUp()).toBe(true), waiting)
    expect(await chain.genesisHash()).toBe(await (await startChain([surfnet.rpcUrl])).genesisHash())
  })

  test('endpoints of different chains are refused by name, without their URLs', async () => {
    const other = await front(result(otherGenesis))
    const refusal: unknown = await startChain([surfnet.rpcUrl, `${other.url}/secret-key`]).catch((reason: unknown) => reason)
    expect(refusal).toBeInstanceOf(ConfigError)
    expect(String(refusal)).toContain('SOLANA_RPC_URL')
    expect(String(refusal)).toContain(`127.0.0.1:${other.port} (${otherGenesis})`)
    expect(String(refusal)).not.toContain('secret')
  })

  test('a public cluster that the settings do not name is refused with a sentence that says how to name it', async () => {
    const proxy = await front(result(mainnetGenesis))
    const refusal: unknown = await startChain([`${proxy.url}/secret-key`]).catch((reason: unknown) => reason)
    expect(refusal).toBeInstanceOf(ConfigError)
    expect(String(refusal)).toContain(
      `SOLANA_RPC_URL: 127.0.0.1:${proxy.port} serves mainnet, but reads as localnet. ` +
        'Name the network in its URL, as in http://127.0.0.1:8899/?cluster=mainnet.',
    )
    expect(String(refusal)).not.toContain('secret')
    expect(await (await startChain([proxy.url], { network: 'mainnet' })).genesisHash()).toBe(mainnetGenesis)
  })

  test.each(['ftp://example.com', 'secret-key', ''])('"%s" is refused without being repeated', (url) => {
    expect(() => createChain({ endpoints: [url], log })).toThrow(ConfigError)
    expect(() => createChain({ endpoints: [url], log })).toThrow(
      /^SOLANA_RPC_URL must be one or more http or https URLs, separated by commas\.$/,
    )
  })
})

describe.concurrent('when an endpoint comes back as another chain', () => {
  test('one of several is left out until it serves our chain again', async () => {
    const odd = await front()
    const chain = await startChain([odd.url, surfnet.rpcUrl])
    const ours = await chain.genesisHash()
    odd.behave(result(otherGenesis))
    odd.drop()
    await vi.waitFor(() => expect(chain.pool.endpoints[0]?.foreign).toBe(true), waiting)
    odd.calls.length = 0
    await chain.highestSlot()
    await chain.highestBlockHeight()
    expect(odd.calls.filter((method) => method !== 'getGenesisHash')).toEqual([])
    expect(await chain.genesisHash()).toBe(ours)
    odd.behave(handOn)
    await vi.waitFor(() => expect(chain.pool.endpoints[0]?.foreign).toBe(false), waiting)
    await chain.highestSlot()
    expect(odd.calls).toContain('getSlot')
  })

  test('the only one is followed to its new chain, and nothing of the old chain is kept', async () => {
    const only = await front()
    const chain = await startChain([only.url])
    const [former, oldSlot] = [await chain.genesisHash(), await chain.highestSlot()]
    const heard = vi.fn<(current: string, former: string) => void>()
    chain.onGenesisChange(heard)
    const view = await chain.finalized()
    const wallet = await newWallet()
    await airdrop(surfnet, wallet.address, SOL)
    expect(await chain.balance(wallet.address)).toBe(SOL)

    const restarted = await startSurfnet()
    cleanUps.push(async () => restarted.stop())
    only.behave(handOnTo(restarted.rpcUrl))
    only.drop()
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1), waiting)
    const current = await chain.genesisHash()
    expect(current).not.toBe(former)
    expect(heard).toHaveBeenCalledWith(current, former)
    expect(await chain.highestSlot()).toBeLessThan(oldSlot)
    expect(await chain.balance(wallet.address)).toBe(0n)
    await expect(view.signaturesFor(wallet.address, FIRST_SLOT)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })

  test('which is a public cluster, it is left out, even the only one', async () => {
    const lines: string[] = []
    const only = await front()
    const chain = await startChain([only.url], { log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }) })
    const ours = await chain.genesisHash()
    only.behave(result(mainnetGenesis))
    only.drop()
    await vi.waitFor(() => expect(chain.pool.endpoints[0]?.foreign).toBe(true), waiting)
    await expect(chain.highestSlot()).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    expect(lines.filter((line) => line.includes('serves mainnet, but reads as localnet'))).toHaveLength(1)
    only.behave(handOn)
    await vi.waitFor(async () => expect(await chain.genesisHash()).toBe(ours), waiting)
  })

  test('even the only one is left out if the settings name a public network', async () => {
    const only = await front()
    const chain = await startChain([only.url], { network: 'mainnet' })
    const heard = vi.fn<() => void>()
    chain.onGenesisChange(heard)
    only.behave(result(otherGenesis))
    await expect(chain.genesisHash()).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    expect(heard).not.toHaveBeenCalled()
  })

  test('the next genesis hash is the new one, though no connection broke and no probe was due', async () => {
    const only = await front()
    const chain = await startChain([only.url], { probeMillis: 60_000 })
    expect(await chain.genesisHash()).not.toBe(otherGenesis)
    only.behave(result(otherGenesis))
    expect(await chain.genesisHash()).toBe(otherGenesis)
  })

  test('even the only one is left out if it is not on this machine', async () => {
    const only = await front()
    // An address of this machine that does not look like one, as an endpoint far away would not.
    const chain = await startChain([only.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')])
    const heard = vi.fn<() => void>()
    chain.onGenesisChange(heard)
    only.behave(result(otherGenesis))
    await vi.waitFor(() => expect(chain.isUp()).toBe(false), waiting)
    await expect(chain.highestSlot()).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    expect(heard).not.toHaveBeenCalled()
  })
})

describe.concurrent('several endpoints', () => {
  test('make up for one that does not know what another one does', async () => {
    const { address, signer } = await newWallet()
    await airdrop(surfnet, address, SOL)
    const behind = await front()
    const chain = await startChain([behind.url, surfnet.rpcUrl])
    const reference = (await newWallet()).address
    const transfer = payment(signer, (await newWallet()).address, SOL / 10n, reference)
    const text = await sign(0, signer, [transfer], await chain.latestBlockhash())
    await chain.broadcast(Buffer.from(text, 'base64'))
    const [entry] = await vi.waitFor(async () => {
      const found = await chain.recentSignatures(reference, 0n, 1)
      expect(found).toHaveLength(1)
      return found
    }, waiting)
    if (!entry) throw new Error('no entry')
    const answers: Record<string, unknown> = { getSlot: 1, getBlockHeight: 1, getTransaction: null, getSignaturesForAddress: [] }
    behind.behave((call, response) => {
      if (call.method in answers) return result(answers[call.method])(call, response)
      if (call.method === 'getSignatureStatuses') return result({ context: { slot: 1 }, value: [null] })(call, response)
      return handOn(call, response)
    })
    const everywhere = { everywhere: true }
    await vi.waitFor(async () => expect((await chain.statuses([entry.signature], everywhere)).size).toBe(1), waiting)
    expect((await chain.statuses([entry.signature])).size + (await chain.statuses([entry.signature])).size).toBe(1)
    expect(await chain.transaction(entry.signature)).toMatchObject({ signature: entry.signature })
    expect(await chain.recentSignatures(reference, 0n, 5, everywhere)).toHaveLength(1)
    expect(await chain.highestBlockHeight()).toBeGreaterThan(1n)
    // Nor does one of them alone have a transaction taken for failed, whichever is asked first.
    answers['getSignaturesForAddress'] = [{ signature: entry.signature, slot: Number(entry.slot), err: 'AccountNotFound', memo: null }]
    for (const endpoints of [
      [behind.url, surfnet.rpcUrl],
      [surfnet.rpcUrl, behind.url],
    ]) {
      behind.behave(handOn)
      const both = await startChain(endpoints)
      behind.behave((call, response) => (call.method in answers ? result(answers[call.method]) : handOn)(call, response))
      expect(await both.recentSignatures(reference, 0n, 5, everywhere)).toEqual([{ ...entry, failed: false }])
    }
  })

  test('return slots and heights that never go down', async () => {
    const only = await front(async (call, response) =>
      call.method === 'getSlot' ? result(900_000)(call, response) : handOn(call, response),
    )
    const chain = await startChain([only.url])
    expect(await chain.highestSlot()).toBe(900_000n)
    only.behave(handOn)
    expect(await chain.highestSlot()).toBe(900_000n)
  })
})

describe.concurrent('a finalized view', () => {
  test('refuses answers that are older than itself', async () => {
    const only = await front()
    const chain = await startChain([only.url])
    const { address } = await newWallet()
    const view = await chain.finalized()
    only.behave(async (call, response) => {
      if (call.method === 'getSlot') return result(Number(view.slot) - 1)(call, response)
      if (call.method === 'getSignatureStatuses') return result({ context: { slot: Number(view.slot) - 1 }, value: [null] })(call, response)
      return handOn(call, response)
    })
    await expect(view.signaturesFor(address, FIRST_SLOT)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    const { signer } = await newWallet()
    const unsent = decodeSignedTransaction(await sign(0, signer, [payment(signer, address, 1n)]))
    if (!unsent) throw new Error('no transaction')
    await expect(view.statusOf(unsent.signature)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })

  test('is void after a lost connection until the chain behind it is proven again', async () => {
    const only = await front()
    const chain = await startChain([only.url], { probeMillis: 60_000 })
    const view = await chain.finalized()
    only.behave((_, response) => void response.destroy())
    await chain.highestSlot().catch(() => undefined)
    only.behave(handOn)
    const { address } = await newWallet()
    await expect(view.signaturesFor(address, FIRST_SLOT)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    await chain.genesisHash()
    expect(await view.signaturesFor(address, FIRST_SLOT)).toEqual([])
  })

  test('refuses if the endpoint has dropped blocks since the slot that matters: absence would prove nothing', async () => {
    const only = await front()
    const chain = await startChain([only.url])
    const { address } = await newWallet()
    const view = await chain.finalized()
    const slot = Number(FIRST_SLOT)
    only.behave((call, response) => (call.method === 'getFirstAvailableBlock' ? result(slot + 1)(call, response) : handOn(call, response)))
    await expect(view.signaturesFor(address, FIRST_SLOT)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    expect(await view.signaturesFor(address, FIRST_SLOT + 1n)).toEqual([])
  })

  test('reads every page', async () => {
    const { address } = await newWallet()
    const known = await Promise.all(Array.from({ length: 5 }, (_, index) => entryAt(100 - index)))
    const only = await front()
    const chain = await startChain([only.url])
    only.behave((call, response) => {
      if (call.method === 'getSlot') return result(200)(call, response)
      if (call.method !== 'getSignaturesForAddress') return handOn(call, response)
      const [, config] = call.params
      const before = typeof config === 'object' && config !== null && 'before' in config ? config.before : undefined
      const start = before ? known.findIndex((entry) => entry.signature === before) + 1 : 0
      return result(known.slice(start, start + 2))(call, response)
    })
    const view = await chain.finalized()
    expect((await view.signaturesFor(address, 97n)).map((entry) => entry.slot)).toEqual([97n, 98n, 99n, 100n])
    expect((await view.signaturesFor(address, FIRST_SLOT)).map((entry) => entry.slot)).toEqual([96n, 97n, 98n, 99n, 100n])
  })
})

async function entryAt(slot: number) {
  const { signer, address } = await newWallet()
  const signature = decodeSignedTransaction(await sign(0, signer, [payment(signer, address, 1n)]))?.signature
  return { signature, slot, err: null, memo: null, blockTime: null, confirmationStatus: 'finalized' }
}

function describeFully(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(describeFully)].join('\n')
  if (!(error instanceof Error)) return String(error)
  return [error.stack, JSON.stringify(error), describeFully(error.cause ?? '')].join('\n')
}

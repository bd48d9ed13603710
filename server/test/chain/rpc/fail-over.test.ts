import { randomBytes } from 'node:crypto'
import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { base58 } from '@scure/base'
import { describe, expect, test, vi } from 'vitest'
import { type Chain } from '../../../src/chain/chain.ts'
import { type ChainOptions, createChain } from '../../../src/chain/client/solana-chain.ts'
import { ConfigError } from '../../../src/settings/setting-reader.ts'
import { findFreePort } from '../../../src/embedded/free-port.ts'
import { collectLog } from '../../runtime/collected-log.ts'
import { FIRST_SLOT, startSurfnet } from '../../support/test-chain.ts'
import { pay, signPayment, silent, SOL, useChainClients, waiting } from '../chain-clients.ts'
import { type Answer, handOnTo, hang, result, status } from './front-server.ts'
import { newKey } from '../transactions/hand-made.ts'
import { newWallet, walletAddress } from '../transactions/transactions.ts'

const otherGenesis = 'AnotherLocaLChainsGenesisHashxxxxxxxxxxxxxx'
const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
/** Longer than a busy machine takes to answer. Where an endpoint hangs, the test waits this long and needs less. */
const PATIENT_MILLIS = 10_000
const HANG_MILLIS = 3_000
const drop: Answer = (_, response) => void response.destroy()
const down = { code: 'CHAIN_DOWN' }

const clients = useChainClients({ timeoutMillis: PATIENT_MILLIS, probeMillis: 100 })

/** Answers until the client has started, and misbehaves from then on. */
async function turningBad(behaviour: Answer, options: Partial<ChainOptions> = {}) {
  const [bad, good] = [await clients.front(), await clients.front()]
  const chain = await clients.start([bad.url, good.url], options)
  bad.behave(behaviour)
  return { bad, good, chain }
}

function timeoutFor(behaviour: Answer): Partial<ChainOptions> {
  return behaviour === hang ? { timeoutMillis: HANG_MILLIS } : {}
}

// The tests run at the same time: most of them wait for an endpoint that hangs.
describe.concurrent('with one endpoint that misbehaves', () => {
  test.each<[string, Answer]>([
    ['fails', status(500)],
    ['is overloaded', status(429)],
    ['refuses our key', status(401)],
    ['hangs', hang],
    ['drops the connection', drop],
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
    const { only, chain } = await clients.startBehindFront({ requestsPerSecond: 3, probeMillis: 60_000, timeoutMillis: 5000 })
    only.behave(status(429, { 'retry-after': '60' }))
    const wallets = await Promise.all(Array.from({ length: 8 }, newWallet))
    const outcomes = await Promise.allSettled(wallets.map((wallet) => chain.balance(wallet.address)))
    expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true)
    expect(only.calls.filter((method) => method === 'getMultipleAccounts').length).toBeLessThanOrEqual(2)
  })

  test('it is used again once it recovers', async () => {
    const { bad, good, chain } = await turningBad(status(503))
    await chain.highestSlot()
    bad.behave(clients.handOn)
    good.behave(status(503))
    await vi.waitFor(async () => expect(await chain.highestSlot()).toBeGreaterThan(0n), waiting)
  })
})

describe.concurrent('when no endpoint answers', () => {
  test.each<[string, Answer]>([
    ['they fail', status(500)],
    ['they hang', hang],
    ['they drop connections', drop],
    ['they answer nonsense', result({ surprise: true })],
  ])('since %s, every call fails and none returns an empty answer', async (_, behaviour) => {
    const { only, chain } = await clients.startBehindFront(timeoutFor(behaviour))
    const view = await chain.finalized()
    const wallet = await newWallet()
    const { address } = wallet
    const { bytes, signature } = await signPayment(chain, wallet)
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
      view.history(address, { sinceSlot: FIRST_SLOT, pages: 1 }),
      view.statusOf(signature),
    ]
    const reasons = await Promise.all(calls.map((call) => reasonOf(call)))
    expect(reasons.map((reason) => reason instanceof Failure && reason.code)).toEqual(calls.map(() => 'CHAIN_DOWN'))
    await vi.waitFor(() => expect(chain.isUp()).toBe(false), waiting)
  })

  test('no error contains the URL or its key', async () => {
    const only = await clients.front()
    const chain = await clients.start([`${only.url}/v2/secret-api-key?token=another-secret`])
    only.behave(status(500))
    const error = await reasonOf(chain.highestSlot())
    expect(error).toBeInstanceOf(Failure)
    expect(describeFully(error)).toContain(`127.0.0.1:${only.port}: answered HTTP 500`)
    expect(describeFully(error)).not.toContain('secret')
  })
})

describe.concurrent('at the start', () => {
  test('a dead endpoint is tolerated, and the other one serves', async () => {
    const chain = await clients.start([`http://127.0.0.1:${await findFreePort()}`, clients.surfnet.rpcUrl])
    expect(chain.isUp()).toBe(true)
    expect(await chain.highestSlot()).toBeGreaterThan(0n)
  })

  test('with no endpoint up it waits for one', async () => {
    const port = await findFreePort()
    const chain = await clients.start([`http://127.0.0.1:${port}`])
    expect(chain.isUp()).toBe(false)
    await expect(chain.genesisHash()).rejects.toMatchObject(down)
    await clients.front(clients.handOn, port)
    await vi.waitFor(() => expect(chain.isUp()).toBe(true), waiting)
    expect(await chain.genesisHash()).toBe(await (await clients.start()).genesisHash())
  })

  test('endpoints of different chains are refused by name, without their URLs', async () => {
    const other = await clients.front(result(otherGenesis))
    const refusal = await reasonOf(clients.start([clients.surfnet.rpcUrl, `${other.url}/secret-key`]))
    expect(refusal).toBeInstanceOf(ConfigError)
    expect(String(refusal)).toContain('SOLANA_RPC_URL')
    expect(String(refusal)).toContain(`127.0.0.1:${other.port} (${otherGenesis})`)
    expect(String(refusal)).not.toContain('secret')
  })

  test('a public cluster that the settings do not name is refused with a sentence that says how to name it', async () => {
    const proxy = await clients.front(result(mainnetGenesis))
    const refusal = await reasonOf(clients.start([`${proxy.url}/secret-key`]))
    expect(refusal).toBeInstanceOf(ConfigError)
    expect(String(refusal)).toContain(
      `SOLANA_RPC_URL: 127.0.0.1:${proxy.port} serves mainnet, but reads as localnet. ` +
        'Name the network in its URL, as in http://127.0.0.1:8899/?cluster=mainnet.',
    )
    expect(String(refusal)).not.toContain('secret')
    expect(await (await clients.start([proxy.url], { network: 'mainnet' })).genesisHash()).toBe(mainnetGenesis)
  })

  test.each(['ftp://example.com', 'secret-key', ''])('"%s" is refused without being repeated', (url) => {
    expect(() => createChain({ endpoints: [url], log: silent })).toThrow(ConfigError)
    expect(() => createChain({ endpoints: [url], log: silent })).toThrow(
      /^SOLANA_RPC_URL must be one or more http or https URLs, separated by commas\.$/,
    )
  })
})

describe.concurrent('when an endpoint comes back as another chain', () => {
  test('one of several is left out until it serves our chain again', async () => {
    const odd = await clients.front()
    const chain = await clients.start([odd.url, clients.surfnet.rpcUrl])
    const ours = await chain.genesisHash()
    odd.behave(result(otherGenesis))
    odd.drop()
    await vi.waitFor(() => expect(chain.pool.endpoints[0]?.foreign).toBe(true), waiting)
    odd.calls.length = 0
    await chain.highestSlot()
    await chain.highestBlockHeight()
    expect(odd.calls.filter((method) => method !== 'getGenesisHash')).toEqual([])
    expect(await chain.genesisHash()).toBe(ours)
    odd.behave(clients.handOn)
    await vi.waitFor(() => expect(chain.pool.endpoints[0]?.foreign).toBe(false), waiting)
    await chain.highestSlot()
    expect(odd.calls).toContain('getSlot')
  })

  test('the only one is followed to its new chain, and nothing of the old chain is kept', async () => {
    const { only, chain } = await clients.startBehindFront()
    const [former, oldSlot] = [await chain.genesisHash(), await chain.highestSlot()]
    const heard = vi.fn<(current: string, former: string) => void>()
    chain.onGenesisChange(heard)
    const view = await chain.finalized()
    const wallet = await clients.fundedWallet()
    expect(await chain.balance(wallet.address)).toBe(SOL)

    const restarted = await startSurfnet()
    clients.atEnd(() => restarted.stop())
    only.behave(handOnTo(restarted.rpcUrl))
    only.drop()
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1), waiting)
    const current = await chain.genesisHash()
    expect(current).not.toBe(former)
    expect(heard).toHaveBeenCalledWith(current, former)
    expect(await chain.highestSlot()).toBeLessThan(oldSlot)
    expect(await chain.balance(wallet.address)).toBe(0n)
    await expect(view.history(wallet.address, { sinceSlot: FIRST_SLOT, pages: 1 })).rejects.toMatchObject(down)
  })

  test('which is a public cluster, it is left out, even the only one', async () => {
    const { log, lines } = collectLog()
    const { only, chain } = await clients.startBehindFront({ log })
    const ours = await chain.genesisHash()
    only.behave(result(mainnetGenesis))
    only.drop()
    await vi.waitFor(() => expect(chain.pool.endpoints[0]?.foreign).toBe(true), waiting)
    await expect(chain.highestSlot()).rejects.toMatchObject(down)
    const errors = lines.filter(({ level }) => level >= 50).map((line) => JSON.stringify(line))
    expect(errors.filter((line) => line.includes('serves mainnet, but reads as localnet'))).toHaveLength(1)
    only.behave(clients.handOn)
    await vi.waitFor(async () => expect(await chain.genesisHash()).toBe(ours), waiting)
  })

  test('even the only one is left out if the settings name a public network', async () => {
    const { only, chain } = await clients.startBehindFront({ network: 'mainnet' })
    const heard = vi.fn<() => void>()
    chain.onGenesisChange(heard)
    only.behave(result(otherGenesis))
    await expect(chain.genesisHash()).rejects.toMatchObject(down)
    expect(heard).not.toHaveBeenCalled()
  })

  test('the next genesis hash is the new one, though no connection broke and no probe was due', async () => {
    const { only, chain } = await clients.startBehindFront({ probeMillis: 60_000 })
    expect(await chain.genesisHash()).not.toBe(otherGenesis)
    only.behave(result(otherGenesis))
    expect(await chain.genesisHash()).toBe(otherGenesis)
  })

  test('even the only one is left out if it is not on this machine', async () => {
    const only = await clients.front()
    // An address of this machine that does not look like one, as an endpoint far away would not.
    const chain = await clients.start([only.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')])
    const heard = vi.fn<() => void>()
    chain.onGenesisChange(heard)
    only.behave(result(otherGenesis))
    await vi.waitFor(() => expect(chain.isUp()).toBe(false), waiting)
    await expect(chain.highestSlot()).rejects.toMatchObject(down)
    expect(heard).not.toHaveBeenCalled()
  })
})

describe.concurrent('several endpoints', () => {
  test('make up for one that does not know what another one does', async () => {
    const behind = await clients.front()
    const chain = await clients.start([behind.url, clients.surfnet.rpcUrl])
    const { signature, slot, reference } = await pay(chain, await clients.fundedWallet())
    const ignorant: Record<string, Answer> = {
      getSlot: result(1),
      getBlockHeight: result(1),
      getTransaction: result(null),
      getSignaturesForAddress: result([]),
    }
    behind.override({ ...ignorant, getSignatureStatuses: result({ context: { slot: 1 }, value: [null] }) })
    const everywhere = { everywhere: true }
    await vi.waitFor(async () => expect((await chain.statuses([signature], everywhere)).size).toBe(1), waiting)
    // Whose turn it is depends on what else they were asked; after the one that does not know comes the other one's.
    await vi.waitFor(async () => expect((await chain.statuses([signature])).size).toBe(0), waiting)
    expect((await chain.statuses([signature])).size).toBe(1)
    expect(await chain.transaction(signature)).toMatchObject({ signature })
    expect(await chain.recentSignatures(reference, 0n, 5, everywhere)).toHaveLength(1)
    expect(await chain.highestBlockHeight()).toBeGreaterThan(1n)
    // Nor does one of them alone have a transaction taken for failed, whichever is asked first.
    const failed = result([{ signature, slot: Number(slot), err: 'AccountNotFound', memo: null }])
    const urls = [behind.url, clients.surfnet.rpcUrl]
    for (const endpoints of [urls, urls.toReversed()]) {
      behind.behave(clients.handOn)
      const both = await clients.start(endpoints)
      behind.override({ ...ignorant, getSignaturesForAddress: failed })
      expect(await both.recentSignatures(reference, 0n, 5, everywhere)).toEqual([{ signature, slot, failed: false }])
    }
  })

  test('are not whole for what one of them did not list when all were asked', async () => {
    const other = await clients.front()
    const chain = await clients.start([other.url, clients.surfnet.rpcUrl])
    const [asked, another] = [(await newWallet()).address, (await newWallet()).address]
    const ask = () => chain.recentSignatures(asked, 0n, 5, { everywhere: true })
    await vi.waitFor(() => expect(chain.isWhole()).toBe(true), waiting)
    const error = { code: -32_019, message: 'Failed to query long-term storage; please try again' }
    other.override({ getSignaturesForAddress: ({ id }) => ({ jsonrpc: '2.0', id, error }) })
    await ask()
    expect([chain.isWhole(), chain.isWhole(another), chain.isWhole(another, asked)]).toEqual([true, true, false])
    other.behave(clients.handOn)
    await ask()
    expect(chain.isWhole(asked)).toBe(true)
  })

  test.each([
    ['status', 'getSignatureStatuses', (chain: Chain, of: Signature) => chain.statuses([of], { everywhere: true })],
    ['transaction', 'getTransaction', (chain: Chain, of: Signature) => chain.transaction(of)],
    ['finality', 'getSignatureStatuses', (chain: Chain, of: Signature) => chain.finality([of])],
  ])('are not whole for a signature whose %s one of them could not tell', async (_, method, ask) => {
    const other = await clients.front()
    const chain = await clients.start([other.url, clients.surfnet.rpcUrl])
    const { signature } = await signPayment(chain, await newWallet())
    await vi.waitFor(() => expect(chain.isWhole()).toBe(true), waiting)
    other.override({ [method]: ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Internal error' } }) })
    await ask(chain, signature)
    expect([chain.isWhole(), chain.isWhole(signature)]).toEqual([true, false])
    other.behave(clients.handOn)
    await ask(chain, signature)
    expect(chain.isWhole(signature)).toBe(true)
  })

  test('return slots and heights that never go down', async () => {
    const only = await clients.front()
    only.override({ getSlot: result(900_000) })
    const chain = await clients.start([only.url])
    expect(await chain.highestSlot()).toBe(900_000n)
    only.behave(clients.handOn)
    expect(await chain.highestSlot()).toBe(900_000n)
  })
})

describe.concurrent('a finalized view', () => {
  const someone = walletAddress(newKey().address)

  test('refuses answers that are older than itself', async () => {
    const { only, chain } = await clients.startBehindFront()
    const view = await chain.finalized()
    const { signature } = await signPayment(chain, await newWallet())
    const older = Number(view.slot) - 1
    only.override({ getSlot: result(older), getSignatureStatuses: result({ context: { slot: older }, value: [null] }) })
    await expect(view.history(someone, { sinceSlot: FIRST_SLOT, pages: 1 })).rejects.toMatchObject(down)
    await expect(view.statusOf(signature)).rejects.toMatchObject(down)
  })

  test('is void after a lost connection until the chain behind it is proven again', async () => {
    const { only, chain } = await clients.startBehindFront({ probeMillis: 60_000 })
    const view = await chain.finalized()
    only.behave(drop)
    await chain.highestSlot().catch(() => undefined)
    only.behave(clients.handOn)
    await expect(view.history(someone, { sinceSlot: FIRST_SLOT, pages: 1 })).rejects.toMatchObject(down)
    await chain.genesisHash()
    expect(await view.history(someone, { sinceSlot: FIRST_SLOT, pages: 1 })).toMatchObject({ kind: 'part', entries: [] })
  })

  test('refuses if the endpoint has dropped blocks since the slot that matters: absence would prove nothing', async () => {
    const { only, chain } = await clients.startBehindFront()
    const view = await chain.finalized()
    only.override({ getFirstAvailableBlock: result(Number(FIRST_SLOT) + 1) })
    expect(await view.history(someone, { sinceSlot: FIRST_SLOT, pages: 1 })).toMatchObject({ kind: 'pruned' })
    expect(await view.history(someone, { sinceSlot: FIRST_SLOT + 1n, pages: 1 })).toMatchObject({ kind: 'part' })
  })

  test('reads every page', async () => {
    const known = [100, 99, 98, 97, 96].map((slot) => {
      const signature = base58.encode(randomBytes(64))
      return { signature, slot, err: null, memo: null, blockTime: null, confirmationStatus: 'finalized' }
    })
    const { only, chain } = await clients.startBehindFront()
    only.override({
      getSlot: result(200),
      getSignaturesForAddress: (call, response) => {
        const [, config] = call.params
        const before = typeof config === 'object' && config !== null && 'before' in config ? config.before : undefined
        const start = before ? known.findIndex((entry) => entry.signature === before) + 1 : 0
        return result(known.slice(start, start + 2))(call, response)
      },
    })
    const view = await chain.finalized()
    const slots = async (sinceSlot: bigint, pages: number) => {
      const part = await view.history(someone, { sinceSlot, pages })
      return part.kind === 'part' && part.entries.map((entry) => entry.slot)
    }
    expect(await slots(97n, 100)).toEqual([100n, 99n, 98n, 97n])
    expect(await slots(FIRST_SLOT, 100)).toEqual([100n, 99n, 98n, 97n, 96n])
    expect(await slots(FIRST_SLOT, 2)).toEqual([100n, 99n, 98n, 97n])
  })
})

/** Why something fails. */
function reasonOf(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

function describeFully(error: unknown): string {
  if (error instanceof AggregateError) return [error.message, ...error.errors.map(describeFully)].join('\n')
  if (!(error instanceof Error)) return String(error)
  return [error.stack, JSON.stringify(error), describeFully(error.cause ?? '')].join('\n')
}

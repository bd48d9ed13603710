import { type Signature } from '@juicebar/contract/addresses'
import { address, createSolanaRpc } from '@solana/kit'
import { pino } from 'pino'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { type FinalizedView, type HistoryPart, type HistoryRange } from '../../src/chain/chain.ts'
import { createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { type FrontServer, handOnTo, result, startFrontServer } from './front-server.ts'
import { airdrop, sharedChain, type TestChain } from '../support/test-chain.ts'
import { newWallet, payment, sign, type Wallet } from './transactions.ts'

const SENT = 7
const waiting = { timeout: 30_000, interval: 50 }

let surfnet: TestChain
let handOn: ReturnType<typeof handOnTo>
let wallet: Wallet
let since: bigint
/** What the wallet sent, newest first. */
let sent: Signature[]
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  surfnet = await sharedChain()
  handOn = handOnTo(surfnet.rpcUrl)
  wallet = await newWallet()
  await airdrop(surfnet, wallet.address, 1_000_000_000n)
  const chain = await startChain([surfnet.rpcUrl])
  since = await chain.highestSlot()
  const to = (await newWallet()).address
  const signatures: Signature[] = []
  const rpc = createSolanaRpc(surfnet.rpcUrl)
  for (let count = 1n; count <= SENT; count++) {
    const text = await sign(0, wallet.signer, [payment(wallet.signer, to, 1_000_000n + count)], await chain.latestBlockhash())
    const signature = (await rpc
      .sendTransaction(text as Parameters<typeof rpc.sendTransaction>[0], { encoding: 'base64' })
      .send()) as string
    signatures.unshift(signature as Signature)
    await surfnet.mine(1)
    await vi.waitFor(async () => expect((await chain.statuses([signature as Signature])).size).toBe(1), waiting)
  }
  sent = signatures
  await surfnet.mine(32)
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function front(behaviour = handOn): Promise<FrontServer> {
  const server = await startFrontServer(behaviour)
  cleanUps.push(() => server.stop())
  return server
}

async function startChain(endpoints: string[], pageSize = 2): Promise<SolanaChain> {
  const chain = createChain({ endpoints, log: pino({ level: 'silent' }), pageSize, probeMillis: 60_000 })
  cleanUps.push(() => chain.stop())
  await chain.start()
  return chain
}

const read = (view: FinalizedView, range: Partial<HistoryRange> = {}) =>
  view.history(address(wallet.address), { sinceSlot: since, pages: 1, ...range })

function requirePart(part: HistoryPart) {
  if (part.kind !== 'part') throw new Error(part.kind)
  return part
}

describe('the finalized history of an address', () => {
  test('is read part by part, each from where the one before stopped', async () => {
    const view = await (await startChain([surfnet.rpcUrl])).finalized()
    const found: Signature[] = []
    let older: Signature | undefined
    do {
      const part = requirePart(await read(view, { before: older, pages: 2 }))
      found.push(...part.entries.map(({ signature }) => signature))
      expect(part.pages).toBeLessThanOrEqual(2)
      older = part.older
    } while (older)
    expect(found).toEqual(sent)
  })

  test('continues on another view, and on another endpoint', async () => {
    const [one, other] = [await startChain([surfnet.rpcUrl]), await startChain([(await front()).url])]
    const first = requirePart(await read(await one.finalized()))
    const rest = requirePart(await read(await other.finalized(), { before: first.older, pages: 10 }))
    expect([...first.entries, ...rest.entries].map(({ signature }) => signature)).toEqual(sent)
    expect(rest.older).toBeUndefined()
  })

  test('is not taken for empty by an endpoint that does not know where to continue', async () => {
    const only = await front()
    const view = await (await startChain([only.url])).finalized()
    const { older } = requirePart(await read(view))
    only.behave((call, response) => {
      if (call.method === 'getSignatureStatuses') return result({ context: { slot: Number(view.slot) }, value: [null] })(call, response)
      return call.method === 'getSignaturesForAddress' ? result([])(call, response) : handOn(call, response)
    })
    expect(await read(view, { before: older })).toEqual({ kind: 'unknownStart' })
  })

  test('is pruned if the endpoint keeps no blocks that old any more, whatever it lists', async () => {
    const only = await front()
    const view = await (await startChain([only.url])).finalized()
    const firstSlot = since + 1n
    only.behave((call, response) =>
      call.method === 'getFirstAvailableBlock' ? result(Number(firstSlot))(call, response) : handOn(call, response),
    )
    expect(await read(view, { pages: 10 })).toEqual({ kind: 'pruned', firstSlot })
    expect(await read(view, { pages: 10, sinceSlot: firstSlot })).toMatchObject({ kind: 'part' })
  })

  test('is unknown, neither pruned nor empty, while the endpoint does not answer', async () => {
    const only = await front()
    const view = await (await startChain([only.url])).finalized()
    only.behave((call, response) =>
      call.method === 'getFirstAvailableBlock' ? void response.writeHead(503).end() : handOn(call, response),
    )
    await expect(read(view)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })
})

describe('a finalized view of another endpoint', () => {
  test('is opened on those that are left, and on none if that is none', async () => {
    const [one, other] = [await front(), await front()]
    const chain = await startChain([one.url, other.url])
    const names = chain.endpoints()
    expect(names).toEqual([one.port, other.port].map((port) => `127.0.0.1:${port}`))
    for (const name of names) expect((await chain.finalized({ except: new Set([name]) })).endpoint).not.toBe(name)
    await expect(chain.finalized({ except: new Set(names) })).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    other.behave((_, response) => void response.destroy())
    await expect(chain.finalized({ except: new Set([names[0] ?? '']) })).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })
})

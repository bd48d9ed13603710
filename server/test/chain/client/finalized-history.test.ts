import { type Signature } from '@juicebar/contract/addresses'
import { beforeAll, describe, expect, test } from 'vitest'

import { type FinalizedView, type HistoryPart, type HistoryRange } from '../../../src/chain/chain.ts'
import { pay, useChainClients } from '../chain-clients.ts'
import { result, status } from '../rpc/front-server.ts'
import { type Wallet } from '../transactions/transactions.ts'

const SENT = 7

const clients = useChainClients({ pageSize: 2, probeMillis: 60_000 })

let wallet: Wallet
let since: bigint
/** What the wallet sent, newest first. */
let sent: Signature[]

beforeAll(async () => {
  wallet = await clients.fundedWallet()
  const chain = await clients.start()
  since = await chain.highestSlot()
  sent = []
  for (let count = 0; count < SENT; count++) {
    sent.unshift((await pay(chain, wallet, { lamports: 1_000_000n })).signature)
    await clients.surfnet.mine(1)
  }
  await clients.surfnet.mine(32)
})

const read = (view: FinalizedView, range: Partial<HistoryRange> = {}) =>
  view.history(wallet.address, { sinceSlot: since, pages: 1, ...range })

function requirePart(part: HistoryPart) {
  if (part.kind !== 'part') throw new Error(part.kind)
  return part
}

describe('the finalized history of an address', () => {
  test('is read part by part, each from where the one before stopped', async () => {
    const view = await (await clients.start()).finalized()
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
    const [one, other] = [await clients.start(), (await clients.startBehindFront()).chain]
    const first = requirePart(await read(await one.finalized()))
    const rest = requirePart(await read(await other.finalized(), { before: first.older, pages: 10 }))
    expect([...first.entries, ...rest.entries].map(({ signature }) => signature)).toEqual(sent)
    expect(rest.older).toBeUndefined()
  })

  test('is not taken for empty by an endpoint that does not know where to continue', async () => {
    const { only, chain } = await clients.startBehindFront()
    const view = await chain.finalized()
    const { older } = requirePart(await read(view))
    const unknown = result({ context: { slot: Number(view.slot) }, value: [null] })
    only.override({ getSignatureStatuses: unknown, getSignaturesForAddress: result([]) })
    expect(await read(view, { before: older })).toEqual({ kind: 'unknownStart' })
  })

  test('is pruned if the endpoint keeps no blocks that old any more, whatever it lists', async () => {
    const { only, chain } = await clients.startBehindFront()
    const view = await chain.finalized()
    const firstSlot = since + 1n
    only.override({ getFirstAvailableBlock: result(Number(firstSlot)) })
    expect(await read(view, { pages: 10 })).toEqual({ kind: 'pruned', firstSlot })
    expect(await read(view, { pages: 10, sinceSlot: firstSlot })).toMatchObject({ kind: 'part' })
  })

  test('is unknown, neither pruned nor empty, while the endpoint does not answer', async () => {
    const { only, chain } = await clients.startBehindFront()
    const view = await chain.finalized()
    only.override({ getFirstAvailableBlock: status(503) })
    await expect(read(view)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })
})

describe('a finalized view of another endpoint', () => {
  test('is opened on those that are left, and on none if that is none', async () => {
    const [one, other] = [await clients.front(), await clients.front()]
    const chain = await clients.start([one.url, other.url])
    const names = chain.endpoints()
    expect(names).toEqual([one.port, other.port].map((port) => `127.0.0.1:${port}`))
    for (const name of names) expect((await chain.finalized({ except: new Set([name]) })).endpoint).not.toBe(name)
    await expect(chain.finalized({ except: new Set(names) })).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    other.behave((_, response) => void response.destroy())
    await expect(chain.finalized({ except: new Set([names[0] ?? '']) })).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  })

  test('is the next one, once the first could not show a history', async () => {
    const [one, other] = [await clients.front(), await clients.front()]
    const chain = await clients.start([one.url, other.url], { requestsPerSecond: [1_000, 10] })
    const [larger, smaller] = chain.endpoints()
    one.override({ getSignaturesForAddress: ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Internal error' } }) })
    const view = await chain.finalized({ except: new Set() })
    expect(view.endpoint).toBe(larger)
    await expect(read(view)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    expect((await chain.finalized({ except: new Set() })).endpoint).toBe(smaller)
  })

  test('is that one all the same while the others are excepted or down', async () => {
    const [one, other, another] = [await clients.front(), await clients.front(), await clients.front()]
    const chain = await clients.start([one.url, other.url, another.url])
    const [pruned, down, failing] = chain.endpoints()
    another.override({ getSignaturesForAddress: ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Internal error' } }) })
    await expect(read(await chain.finalized({ except: new Set([pruned!, down!]) }))).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
    other.behave((_, response) => void response.destroy())
    await chain.highestBlockHeight()
    expect(chain.isWhole()).toBe(false)
    expect((await chain.finalized({ except: new Set([pruned!]) })).endpoint).toBe(failing)
  })
})

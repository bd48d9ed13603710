import { type Signature } from '@juicebar/contract/addresses'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { decodeSignedTransaction } from '../../src/chain/transactions/signed-transaction.ts'
import { createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { type FrontServer, handOnTo, result, startFrontServer, status } from './front-server.ts'
import { airdrop, sharedChain, type TestChain } from '../support/test-chain.ts'
import { newWallet, payment, sign } from './transactions.ts'

const SOL = 1_000_000_000n
const log = pino({ level: 'silent' })
const waiting = { timeout: 30_000, interval: 50 }

let surfnet: TestChain
let handOn: ReturnType<typeof handOnTo>
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  surfnet = await sharedChain()
  handOn = handOnTo(surfnet.rpcUrl)
})

// Once, since the tests run at the same time: some of them wait until a budget is spent.
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A chain client with a front server for each limit, whose start is not counted. */
async function limited(...requestsPerSecond: number[]): Promise<{ chain: SolanaChain; fronts: FrontServer[] }> {
  const fronts = await Promise.all(requestsPerSecond.map(() => startFrontServer(handOn)))
  for (const front of fronts) cleanUps.push(() => front.stop())
  const chain = createChain({ endpoints: fronts.map(({ url }) => url), log, requestsPerSecond, probeMillis: 60_000 })
  cleanUps.push(() => chain.stop())
  await chain.start()
  for (const front of fronts) front.calls.length = 0
  return { chain, fronts }
}

const count = ({ calls }: FrontServer, name: string) => calls.filter((method) => method === name).length

async function fundedPayment(chain: SolanaChain) {
  const { address, signer } = await newWallet()
  await airdrop(surfnet, address, SOL)
  const transfer = payment(signer, (await newWallet()).address, SOL / 10n)
  return Buffer.from(await sign(0, signer, [transfer], await chain.latestBlockhash()), 'base64')
}

describe.concurrent('the budget of an endpoint', () => {
  test('is spent once for all who ask for a balance at the time, and for the slot', async () => {
    const { chain, fronts } = await limited(50)
    const wallets = await Promise.all(Array.from({ length: 120 }, newWallet))
    const balances = await Promise.all(wallets.map(({ address }) => chain.balance(address)))
    expect(new Set(balances)).toEqual(new Set([0n]))
    expect(await chain.highestSlot()).toBeGreaterThan(0n)
    expect(fronts[0]?.calls).toEqual(['getMultipleAccounts', 'getMultipleAccounts'])
  })

  test('that says to slow down is waited for, if it is the only one', async () => {
    const { chain, fronts } = await limited(50)
    let refusals = 0
    fronts[0]?.behave((call, response) => (refusals++ < 2 ? status(429)(call, response) : handOn(call, response)))
    expect(await chain.recentSignatures((await newWallet()).address, 0n, 1)).toEqual([])
  })

  test('that is spent refuses a request as busy, and not as if the chain were down', async () => {
    const { chain } = await limited(1)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, async () => chain.recentSignatures((await newWallet()).address, 0n, 1)),
    )
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(new Set(refused)).toEqual(new Set(['CHAIN_BUSY']))
    // Nor is it recorded as an outage, which would give buyers more time to pay.
    expect(chain.isUp()).toBe(true)
  }, 20_000)
})

describe.concurrent('the budgets of several endpoints', () => {
  test('add up: each gets its share of the work', async () => {
    const { chain, fronts } = await limited(10, 40)
    expect(chain.budget().perSecond).toBe(50)
    const wallets = await Promise.all(Array.from({ length: 50 }, newWallet))
    await Promise.all(wallets.map(({ address }) => chain.recentSignatures(address, 0n, 1)))
    expect(fronts.map((front) => count(front, 'getSignaturesForAddress'))).toEqual([10, 40])
  })

  test('are spent on one broadcast at a time, and the next one goes to another endpoint', async () => {
    const { chain, fronts } = await limited(50, 50)
    const bytes = await fundedPayment(chain)
    const sent = () => fronts.map((front) => count(front, 'sendTransaction'))
    await chain.broadcast(bytes)
    expect(Math.max(...sent()) + Math.min(...sent())).toBe(1)
    await chain.broadcast(bytes)
    expect(sent()).toEqual([1, 1])
  })

  test('are spent on one status request at a time; what one endpoint does not know, the next request asks another one', async () => {
    const { chain, fronts } = await limited(50, 50)
    const signature = await landed(chain)
    const [ignorant, knowing] = fronts as [FrontServer, FrontServer]
    ignorant.behave(result({ context: { slot: 1 }, value: [null] }))
    ignorant.calls.length = 0
    knowing.calls.length = 0
    const known = [await chain.statuses([signature]), await chain.statuses([signature])].map(({ size }) => size)
    expect(known).toContain(1)
    expect(count(ignorant, 'getSignatureStatuses') + count(knowing, 'getSignatureStatuses')).toBe(2)
    expect((await chain.statuses([signature], { everywhere: true })).size).toBe(1)
  })
})

describe.concurrent('finality', () => {
  const says = (confirmationStatus: string | null) => {
    const known = confirmationStatus && { slot: 1, confirmations: null, err: null, status: { Ok: null }, confirmationStatus }
    return result({ context: { slot: 1 }, value: [known] })
  }

  test.each([
    ['both say so', 'finalized', 'finalized', 'finalized'],
    ['one says so and one does not', 'finalized', 'confirmed', 'confirmed'],
    ['only one knows the payment, and shows it', 'finalized', null, 'confirmed'],
    ['neither knows it', null, null, undefined],
  ])('with two endpoints, if %s, is certain accordingly', async (_, one, other, expected) => {
    const { chain, fronts } = await limited(50, 50)
    const signature = await landed(chain)
    for (const [index, claim] of [says(one), says(other)].entries()) {
      fronts[index]?.behave((call, response) => (call.method === 'getSignatureStatuses' ? claim(call, response) : handOn(call, response)))
    }
    expect((await chain.finality([signature])).get(signature)?.commitment).toBe(expected)
  })

  test('is not that a payment failed, if only one endpoint says so', async () => {
    const { chain, fronts } = await limited(50, 50)
    const signature = await landed(chain)
    const failed = { slot: 1, confirmations: null, err: 'AccountInUse', status: { Err: 'AccountInUse' }, confirmationStatus: 'finalized' }
    const claim = result({ context: { slot: 1 }, value: [failed] })
    fronts[0]?.behave((call, response) => (call.method === 'getSignatureStatuses' ? claim(call, response) : handOn(call, response)))
    const statuses = [await chain.statuses([signature]), await chain.statuses([signature]), await chain.finality([signature])]
    expect(statuses.map((known) => known.get(signature)?.failed)).toEqual([false, false, false])
    fronts[1]?.behave((call, response) => (call.method === 'getSignatureStatuses' ? claim(call, response) : handOn(call, response)))
    expect((await chain.statuses([signature])).get(signature)).toMatchObject({ failed: true, commitment: 'finalized' })
  })

  test('of a payment that only one endpoint claims to know, and that none can show, is not believed', async () => {
    const { chain, fronts } = await limited(50, 50)
    fronts[0]?.behave((call, response) =>
      call.method === 'getSignatureStatuses' ? says('finalized')(call, response) : handOn(call, response),
    )
    const unsent = signatureOf(await fundedPayment(chain))
    expect((await chain.finality([unsent])).size).toBe(0)
  })

  test('is not certain while the second endpoint is down', async () => {
    const { chain, fronts } = await limited(50, 50)
    const signature = await landed(chain)
    await surfnet.mine(32)
    expect((await chain.finality([signature])).get(signature)?.commitment).toBe('finalized')
    fronts[1]?.behave(status(500))
    expect((await chain.finality([signature])).get(signature)?.commitment).toBe('confirmed')
  })
})

function signatureOf(bytes: Uint8Array): Signature {
  const signature = decodeSignedTransaction(Buffer.from(bytes).toString('base64'))?.signature
  if (!signature) throw new Error('no signature')
  return signature
}

/** The signature of a payment that has landed. */
async function landed(chain: SolanaChain): Promise<Signature> {
  const bytes = await fundedPayment(chain)
  const signature = signatureOf(bytes)
  await chain.broadcast(bytes)
  await vi.waitFor(async () => expect((await chain.statuses([signature], { everywhere: true })).size).toBe(1), waiting)
  return signature
}

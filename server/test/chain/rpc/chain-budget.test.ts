import { describe, expect, test } from 'vitest'
import { type ChainOptions, type SolanaChain } from '../../../src/chain/client/solana-chain.ts'
import { pay, signPayment, useChainClients } from '../chain-clients.ts'
import { type FrontServer, result, status } from './front-server.ts'
import { newWallet } from '../transactions/transactions.ts'

// The tests run at the same time: some of them wait until a budget is spent.
const clients = useChainClients({ probeMillis: 60_000 })

/** A chain client with a front server for each limit, whose start is not counted. */
async function limited(
  requestsPerSecond: number[],
  options: Partial<ChainOptions> = {},
): Promise<{ chain: SolanaChain; fronts: FrontServer[] }> {
  const fronts = await Promise.all(requestsPerSecond.map(() => clients.front()))
  const endpoints = fronts.map(({ url }) => url)
  const chain = await clients.start(endpoints, { requestsPerSecond, ...options })
  for (const front of fronts) front.calls.length = 0
  return { chain, fronts }
}

const count = ({ calls }: FrontServer, name: string) => calls.filter((method) => method === name).length

describe.concurrent('the budget of an endpoint', () => {
  test('is spent once for all who ask for a balance at the time, and for the slot', async () => {
    const { chain, fronts } = await limited([50])
    const wallets = await Promise.all(Array.from({ length: 120 }, newWallet))
    const balances = await Promise.all(wallets.map(({ address }) => chain.balance(address)))
    expect(new Set(balances)).toEqual(new Set([0n]))
    expect(await chain.highestSlot()).toBeGreaterThan(0n)
    expect(fronts[0]?.calls).toEqual(['getMultipleAccounts', 'getMultipleAccounts'])
  })

  test('that says to slow down is waited for, if it is the only one', async () => {
    const { chain, fronts } = await limited([50])
    let refusals = 0
    fronts[0]?.behave((call, response) => (refusals++ < 2 ? status(429)(call, response) : clients.handOn(call, response)))
    expect(await chain.recentSignatures((await newWallet()).address, 0n, 1)).toEqual([])
  })

  test('that is spent refuses a request as busy, and not as if the chain were down', async () => {
    const { chain } = await limited([1])
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
    let millis = 0
    const { chain, fronts } = await limited([10, 40], { clock: () => millis })
    // The second of the start is over, and the next one does not end, however busy the machine is.
    millis += 1_000
    expect(chain.budget().perSecond).toBe(50)
    const wallets = await Promise.all(Array.from({ length: 50 }, newWallet))
    await Promise.all(wallets.map(({ address }) => chain.recentSignatures(address, 0n, 1)))
    expect(fronts.map((front) => count(front, 'getSignaturesForAddress'))).toEqual([10, 40])
  })

  test('are spent on one broadcast at a time, and the next one goes to another endpoint', async () => {
    const { chain, fronts } = await limited([50, 50])
    const { bytes } = await signPayment(chain, await clients.fundedWallet())
    const sent = () => fronts.map((front) => count(front, 'sendTransaction'))
    await chain.broadcast(bytes)
    expect(Math.max(...sent()) + Math.min(...sent())).toBe(1)
    await chain.broadcast(bytes)
    expect(sent()).toEqual([1, 1])
  })

  test('are spent on one status request at a time; what one endpoint does not know, the next request asks another one', async () => {
    const { chain, fronts } = await limited([50, 50])
    const { signature } = await pay(chain, await clients.fundedWallet())
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

describe('finality', () => {
  const statusIs = (known: object | null) => ({ getSignatureStatuses: result({ context: { slot: 1 }, value: [known] }) })
  const says = (confirmationStatus: string | null) =>
    statusIs(confirmationStatus === null ? null : { slot: 1, confirmations: null, err: null, status: { Ok: null }, confirmationStatus })

  async function pairWithPayment() {
    const { chain, fronts } = await limited([50, 50])
    const { signature } = await pay(chain, await clients.fundedWallet())
    return { chain, fronts, signature }
  }

  test.each([
    ['both say so', 'finalized', 'finalized', 'finalized'],
    ['one says so and one does not', 'finalized', 'confirmed', 'confirmed'],
    ['only one knows the payment, and shows it', 'finalized', null, 'confirmed'],
    ['neither knows it', null, null, undefined],
  ])('with two endpoints, if %s, is certain accordingly', async (_, one, other, expected) => {
    const { chain, fronts, signature } = await pairWithPayment()
    fronts[0]?.override(says(one))
    fronts[1]?.override(says(other))
    expect((await chain.finality([signature])).get(signature)?.commitment).toBe(expected)
  })

  test('is not that a payment failed, if only one endpoint says so', async () => {
    const { chain, fronts, signature } = await pairWithPayment()
    const status = { Err: 'AccountInUse' }
    const failed = statusIs({ slot: 1, confirmations: null, err: 'AccountInUse', status, confirmationStatus: 'finalized' })
    fronts[0]?.override(failed)
    const statuses = [await chain.statuses([signature]), await chain.statuses([signature]), await chain.finality([signature])]
    expect(statuses.map((known) => known.get(signature)?.failed)).toEqual([false, false, false])
    fronts[1]?.override(failed)
    expect((await chain.statuses([signature])).get(signature)).toMatchObject({ failed: true, commitment: 'finalized' })
  })

  test('is not that payments failed that only one endpoint knows, however many it says so of', async () => {
    const { chain, fronts } = await limited([50, 50])
    const wallet = await newWallet()
    const payments = await Promise.all(Array.from({ length: 12 }, () => signPayment(chain, wallet)))
    const failed = { slot: 1, confirmations: null, err: 'AccountInUse', status: { Err: 'AccountInUse' }, confirmationStatus: 'finalized' }
    fronts[0]?.override({ getSignatureStatuses: result({ context: { slot: 1 }, value: payments.map(() => failed) }) })
    const known = await chain.finality(payments.map(({ signature }) => signature))
    expect([...known.values()].filter((status) => status.failed)).toEqual([])
  })

  test('of a payment that only one endpoint claims to know, and that none can show, is not believed', async () => {
    const { chain, fronts } = await limited([50, 50])
    fronts[0]?.override(says('finalized'))
    const { signature } = await signPayment(chain, await newWallet())
    expect((await chain.finality([signature])).size).toBe(0)
  })

  test('is not certain while the second endpoint is down', async () => {
    const { chain, fronts, signature } = await pairWithPayment()
    await clients.surfnet.mine(32)
    expect((await chain.finality([signature])).get(signature)?.commitment).toBe('finalized')
    fronts[1]?.behave(status(500))
    expect((await chain.finality([signature])).get(signature)?.commitment).toBe('confirmed')
  })
})

import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { type Signature } from '@juicebar/contract/addresses'
import { type Purchase } from '@juicebar/contract/schemas'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BLOCKHASH_BLOCKS, type Chain, MOST_BLOCKS_AHEAD, type SignatureStatus } from '../../../src/chain/chain.ts'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { RELEASE_MARGIN_BLOCKS } from '../../../src/purchases/purchase/purchase.ts'
import { type Answer, handOnTo, result, startFrontServer } from '../../chain/rpc/front-server.ts'
import { silent } from '../../chain/chain-clients.ts'
import { callRpc, useTradingWorld } from '../trading-world.ts'
import { endWaits } from '../waits-over.ts'

const world = useTradingWorld()
const FAR = 1_000_000
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** The same market behind endpoints that hand everything on, but for the answers that a test puts in. */
async function behind(count: number) {
  const fronts = await Promise.all(Array.from({ length: count }, () => startFrontServer(handOnTo(world.rpcUrl))))
  const chain = createChain({ endpoints: fronts.map(({ url }) => url), log: silent })
  cleanUps.push(...fronts.map((front) => () => front.stop()), () => chain.stop())
  await chain.start()
  const override = (answers: Record<string, Answer>) => fronts.forEach((front) => front.override(answers))
  return { fronts, override, chain, seen: world.seenWith({ chain, deps: { ...world.deps, chain } }) }
}

/** Changes the first answer alone, whichever endpoint is asked for it. */
function once(lie: (honest: unknown) => unknown) {
  const told: unknown[] = []
  const handOn = handOnTo(world.rpcUrl)
  const answer: Answer = async (call, response) => {
    const honest = await handOn(call, response)
    if (told.length > 0) return honest
    told.push(lie(honest))
    return told[0]
  }
  return { answer, told }
}

/** Raises every slot and height in an answer. */
const raised = (honest: unknown): unknown =>
  JSON.parse(JSON.stringify(honest), (name, value: unknown) => {
    const isNumber = typeof value === 'number' && ['slot', 'lastValidBlockHeight', 'result'].includes(name)
    return isNumber ? value + FAR : value
  })
const raisedOnce = () => once(raised)

const finalizedHeight = async () => BigInt(Number(await callRpc(world.rpcUrl, 'getBlockHeight', [{ commitment: 'finalized' }])))
const items = async () => [{ listingId: await world.list() }]
const heights = async ({ purchaseId }: Pick<Purchase, 'purchaseId'>) => {
  const text = `select release_height, (select expiry_height from payments m where m.purchase_id = p.id) from purchases p where id = $1`
  const { rows } = await world.connection.pool.query<{ release_height: bigint | null; expiry_height: bigint | null }>(text, [purchaseId])
  return { release: BigInt(rows[0]!.release_height ?? 0), expiry: BigInt(rows[0]!.expiry_height ?? 0) }
}
const ahead = async (height: bigint) => height - (await finalizedHeight())

describe('what is stored while an endpoint tells one number that is far too high expires soon', () => {
  it.each(['simulateTransaction', 'getLatestBlockhash'])('a reservation, by %s', async (method) => {
    const { override, seen } = await behind(1)
    const listed = await items()
    const offer = await world.offer(world.buyer, listed)
    const payment = await world.signOffer(world.buyer, offer)
    const { answer, told } = raisedOnce()
    override({ [method]: answer })
    const { purchaseId } = await seen.pay(world.buyer, listed, offer, payment)
    expect(told).toHaveLength(1)
    expect(await ahead((await heights({ purchaseId })).expiry)).toBeLessThanOrEqual(MOST_BLOCKS_AHEAD)
    await world.untilStatus({ purchaseId }, 'settled')
  })

  it.each(['simulateTransaction', 'getLatestBlockhash'])('a payment for a hold, by %s', async (method) => {
    const { override, seen } = await behind(1)
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    const { answer, told } = raisedOnce()
    override({ [method]: answer })
    await seen.submit(world.buyer, purchase, payment)
    expect(told).toHaveLength(1)
    expect(await ahead((await heights(purchase)).expiry)).toBeLessThanOrEqual(MOST_BLOCKS_AHEAD)
    await world.untilStatus(purchase, 'settled')
  })

  it('a hold whose window has closed', async () => {
    const { override, seen } = await behind(1)
    const purchase = await world.holdNew(world.buyer)
    await world.closePaymentWindow(purchase)
    const { answer, told } = raisedOnce()
    override({ getBlockHeight: answer })
    await seen.reconcileOnce()
    expect(told).toHaveLength(1)
    const { release } = await heights(purchase)
    expect(release).toBeGreaterThan(0n)
    expect(await ahead(release)).toBeLessThanOrEqual(MOST_BLOCKS_AHEAD)
    await world.untilStatus(purchase, 'ended')
  })
})

describe('while one endpoint of two tells one number that is far too high', () => {
  it.each(['getMultipleAccounts', 'getSlot'])('a hold is placed that a payment without its reference settles: %s', async (method) => {
    const { override, seen, chain } = await behind(2)
    await chain.finalized()
    const { answer, told } = raisedOnce()
    override({ [method]: answer })
    const purchase = await seen.holdNew(world.buyer)
    expect(told).toHaveLength(1)
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    expect(await world.confirm(world.buyer, purchase.listingId, signature)).toMatchObject({ settled: true })
  })

  it('a hold that is not paid ends as soon as ever', async () => {
    const { override, seen, chain } = await behind(2)
    const purchase = await world.holdNew(world.buyer)
    await world.closePaymentWindow(purchase)
    await chain.highestBlockHeight()
    const { answer, told } = raisedOnce()
    override({ getBlockHeight: answer })
    await seen.reconcileOnce()
    expect(told).toHaveLength(1)
    const newest = BigInt(Number(await callRpc(world.rpcUrl, 'getBlockHeight', [{ commitment: 'processed' }])))
    const { release } = await heights(purchase)
    expect(release).toBeGreaterThan(0n)
    expect(release - newest).toBeLessThanOrEqual(BLOCKHASH_BLOCKS + RELEASE_MARGIN_BLOCKS)
  })
})

describe('a height that is stored far too high comes down', () => {
  const raise = (text: string, { purchaseId }: Pick<Purchase, 'purchaseId'>) => world.connection.pool.query(text, [purchaseId, FAR])

  it('of a reservation, which ends', async () => {
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, await items())
    await raise('update payments set expiry_height = expiry_height + $2 where purchase_id = $1', purchase)
    await world.untilStatus(purchase, 'ended')
    expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
  })

  it('of a hold, which ends', async () => {
    const purchase = await world.holdNew(world.buyer)
    await world.closePaymentWindow(purchase)
    await world.reconcileOnce()
    await raise('update purchases set release_height = release_height + $2 where id = $1', purchase)
    await world.untilStatus(purchase, 'ended')
    expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'lapsed' })
  })

  it('but not on the word of those that answer, while another one does not', async () => {
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, await items())
    await raise('update payments set expiry_height = expiry_height + $2 where purchase_id = $1', purchase)
    const { expiry } = await heights(purchase)
    const alone = world.withChain({ isWhole: () => false })
    await reconcileExpired(alone, purchase)
    expect((await heights(purchase)).expiry).toBe(expiry)
    await world.untilStatus(purchase, 'ended')
  })
})

/** Reconciles a reservation once its bytes have expired, a few times. */
async function reconcileExpired(on: typeof world, { purchaseId }: Pick<Purchase, 'purchaseId'>): Promise<void> {
  await world.mine(200)
  await world.connection.pool.query("update payments set created_at = created_at - interval '2 minutes' where purchase_id = $1", [
    purchaseId,
  ])
  for (let round = 0; round < 3; round++) {
    await world.makeDue({ purchaseId })
    await on.reconcileOnce()
  }
}

describe('a reservation whose payment may have landed does not end yet', () => {
  it.each<[string, Partial<Chain>]>([
    ['while an endpoint does not answer, which may show it', { isWhole: () => false }],
    ['while an endpoint is busy that may show it', { isWhole: (...listed) => listed.length === 0 }],
    [
      'while an endpoint lists its signature that none shows',
      {
        recentSignatures: async (of) => {
          const { rows } = await world.connection.pool.query<{ signature: Signature }>(
            'select m.signature from payments m join purchases p on p.id = m.purchase_id where p.reference = $1',
            [of],
          )
          return rows.map(({ signature }) => ({ signature, slot: 1n, failed: false }))
        },
      },
    ],
  ])('%s', async (_, changes) => {
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, await items())
    await reconcileExpired(world.withChain(changes), purchase)
    expect((await world.read(purchase.purchaseId)).status).toBe('held')
    await world.untilStatus(purchase, 'ended')
  })
})

describe('a reservation whose payment failed on the chain ends', () => {
  async function failedReservation() {
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, await items())
    const { rows } = await world.connection.pool.query<{ signature: Signature }>('select signature from payments where purchase_id = $1', [
      purchase.purchaseId,
    ])
    await world.landInVain(world.buyer, rows[0]!.signature)
    broadcast.mockRestore()
    return purchase
  }
  const expectEnded = async ({ purchaseId }: Pick<Purchase, 'purchaseId'>, endReason: string) =>
    expect(await world.read(purchaseId)).toMatchObject({ status: 'ended', endReason })

  it('a minute later while the other endpoint does not answer', async () => {
    const { fronts, seen } = await behind(2)
    const purchase = await failedReservation()
    await fronts[1]!.stop()
    await reconcileExpired(seen, purchase)
    expect((await world.read(purchase.purchaseId)).status).toBe('held')
    endWaits()
    await reconcileExpired(seen, purchase)
    await expectEnded(purchase, 'failed')
  })

  it('although the other endpoint says that it succeeded', async () => {
    const { fronts, seen } = await behind(2)
    const purchase = await failedReservation()
    const landed = { slot: 50, confirmations: null, err: null, status: { Ok: null }, confirmationStatus: 'processed' }
    fronts[1]!.override({ getSignatureStatuses: result({ context: { slot: 50 }, value: [landed] }) })
    endWaits()
    await reconcileExpired(seen, purchase)
    await expectEnded(purchase, 'expired')
  })
})

describe('where one endpoint lists what nobody shows', () => {
  const inventing = () => {
    const invented = Array.from({ length: 5 }, () => ({ signature: base58.encode(randomBytes(64)) as Signature, slot: 1n, failed: false }))
    return world.withChain({ recentSignatures: async () => invented, budget: () => ({ perSecond: 10, backlogSeconds: 0 }) })
  }
  /** Once it has waited for a minute. A small budget has a turn a second, for one of them. */
  async function expectToEnd(on: typeof world, purchase: Purchase, endReason: string): Promise<void> {
    endWaits()
    const ended = async () => {
      await world.makeDue(purchase)
      await on.reconcileOnce()
      expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason })
    }
    await vi.waitFor(ended, { timeout: 60_000, interval: 250 })
  }

  it('a reservation ends all the same, however small the chain budget', async () => {
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, await items())
    const lying = inventing()
    await reconcileExpired(lying, purchase)
    expect((await world.read(purchase.purchaseId)).status).toBe('held')
    await expectToEnd(lying, purchase, 'expired')
  }, 90_000)

  it('a hold does, too', async () => {
    const purchase = await world.holdNew(world.buyer)
    const lying = inventing()
    await world.closePaymentWindow(purchase)
    await world.makeDue(purchase)
    await lying.reconcileOnce()
    await reconcileExpired(lying, purchase)
    expect((await world.read(purchase.purchaseId)).status).toBe('held')
    await expectToEnd(lying, purchase, 'lapsed')
  }, 90_000)

  it('a late payment is found behind more of it than a round reads, although that endpoint calls all of it confirmed', async () => {
    const purchase = await world.holdNew(world.buyer)
    await world.cancel(world.buyer, purchase)
    const invented = Array.from({ length: 16 }, () => ({ signature: base58.encode(randomBytes(64)) as Signature, slot: 1n, failed: false }))
    const lying = world.withChain({
      recentSignatures: async (...asked) => [...(await world.chain.recentSignatures(...asked)), ...invented],
      statuses: async (signatures, options) => {
        const told = signatures.filter((signature) => invented.some((entry) => entry.signature === signature))
        const lies = told.map((signature): [Signature, SignatureStatus] => [
          signature,
          { slot: 1n, commitment: 'confirmed', failed: false },
        ])
        return new Map([...lies, ...(await world.chain.statuses(signatures, options))])
      },
    })
    await world.payByWallet(world.buyer, purchase)
    const found = async () => {
      await world.makeDue(purchase)
      await lying.reconcileOnce()
      expect((await world.read(purchase.purchaseId)).status).toBe('settled')
    }
    await vi.waitFor(found, { timeout: 30_000, interval: 250 })
  }, 45_000)

  it('a hold whose payment is confirmed and not final yet stays, however long that takes', async () => {
    const settings = { ...world.deps.settings, settleAt: 'finalized' as const }
    const purchase = await world.holdNew(world.buyer)
    const payment = await world.payByWallet(world.buyer, purchase)
    await world.closePaymentWindow(purchase)
    endWaits()
    const slow = world.seenWith({ deps: { ...world.chainAt('confirmed'), settings } })
    for (let round = 0; round < 4; round++) {
      await world.makeDue(purchase)
      await slow.reconcileOnce()
      await world.mine(100)
    }
    expect((await world.read(purchase.purchaseId)).status).toBe('held')
    await world.seenWith({ deps: { ...world.deps, settings } }).untilStatus(purchase, 'settled')
    expect((await world.read(purchase.purchaseId)).signature).toBe(payment)
  })

  it('a hold is settled by what is shown later than that', async () => {
    const purchase = await world.holdNew(world.buyer)
    const payment = await world.payByWallet(world.buyer, purchase)
    await world.closePaymentWindow(purchase)
    const hidden = vi.spyOn(world.chain, 'statuses').mockResolvedValue(new Map())
    endWaits()
    for (let round = 0; round < 2; round++) {
      await world.makeDue(purchase)
      await world.reconcileOnce()
    }
    hidden.mockRestore()
    await world.untilStatus(purchase, 'settled')
    expect((await world.read(purchase.purchaseId)).signature).toBe(payment)
  })
})

describe('that a payment would fail is believed only of two endpoints', () => {
  const tooLittle = { err: { InstructionError: [0, { Custom: 1 }] }, accounts: null, logs: [] }
  const failingOnce = () => once((honest) => ({ ...Object(honest), result: { context: { slot: 1 }, value: tooLittle } }))

  it('so that one alone refuses no buyer whose payment only the market can send', async () => {
    const { override, seen } = await behind(2)
    const { answer, told } = failingOnce()
    override({ simulateTransaction: answer })
    await world.untilStatus(await seen.buyCoSigned(world.buyer, await items()), 'settled')
    expect(told).toHaveLength(1)
  })

  it('nor one who holds', async () => {
    const { override, seen } = await behind(2)
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    const { answer, told } = failingOnce()
    override({ simulateTransaction: answer })
    await seen.submit(world.buyer, purchase, payment)
    expect(told).toHaveLength(1)
    await world.untilStatus(purchase, 'settled')
  })
})

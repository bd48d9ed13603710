import { type Signature } from '@juicebar/contract/addresses'
import { type Case } from '@juicebar/contract/schemas'
import { describe, expect, it, vi } from 'vitest'
import { listCases } from '../../../src/purchases/cases/case-store.ts'
import { type Chain } from '../../../src/chain/chain.ts'
import { closeCase } from '../../../src/purchases/cases/open-case.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { reconcileOpenCasesOf } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { insertSeenRefunds } from '../../../src/purchases/cases/seen-refund-store.ts'
import { recordRewind } from '../../../src/studio/recovery/check-identity.ts'
import { refusal, useTradingWorld } from '../trading-world.ts'
import { type SignedPayment, transfer } from '../transactions.ts'
import { endWaits } from '../waits-over.ts'

const world = useTradingWorld()

/** A late payment whose listing a rival holds: it may still be delivered, and its seller may pay it back. */
async function payLate() {
  const purchase = await world.holdNew()
  await world.cancel(world.buyer, purchase)
  const rivalHold = await world.hold(world.rival, purchase.listingId)
  const signature = await world.payByWallet(world.buyer, purchase)
  const confirm = () => world.confirm(world.buyer, purchase.listingId, signature)
  await expect(confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
  const found = await world.expectCase(signature, { kind: 'late', status: 'open', refundable: true })
  return { found, purchase, rivalHold, confirm }
}

/** A late payment whose refund was prepared and proved expired, and which the seller's wallet then sends all the same. */
async function refundLate() {
  const late = await payLate()
  const { caseId } = late.found
  const { reference, lamports } = await world.prepareRefund(world.seller, { caseId })
  await world.reconcileUntil(async () => {
    const waiting = await world.connection.pool.query('select from cases where id = $1 and refund_expiry_height is not null', [caseId])
    expect(waiting.rowCount).toBe(0)
  })
  const refund = transfer(world.seller, world.buyer.address, BigInt(lamports), [reference])
  return { ...late, reference, refundSignature: await world.transact(world.seller, refund) }
}

const submit = ({ caseId }: Case, { base64 }: SignedPayment) => submitRefund(world.deps, world.seller.address, caseId, base64)

describe("a refund that the seller's wallet sends by itself", () => {
  it('is found, and closes the case', async () => {
    const { found } = await payLate()
    const refundSignature = await world.sendByWallet(await world.signRefund(world.seller, found))
    await world.untilCase(found.signature, { status: 'refunded', refundSignature })
    await expect(prepareRefund(world.deps, world.seller.address, found.caseId)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
  })

  it('is found although the endpoint that is to prove its absence hides it', async () => {
    const { found } = await payLate()
    const refundSignature = await world.sendByWallet(await world.signRefund(world.seller, found))
    const hiding = world.withHidingEndpoint()
    await hiding.reconcileUntil(async () => void (await world.expectCase(found.signature, { status: 'refunded', refundSignature })))
  })

  it('is not followed by a delivery', async () => {
    const { found, purchase, rivalHold, confirm } = await payLate()
    const refund = await world.signRefund(world.seller, found)
    await world.cancel(world.rival, rivalHold)
    await expect(confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.sendByWallet(refund)
    await world.untilCase(found.signature, { status: 'refunded' })
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })
})

describe("a refund that the seller's wallet signs long after it was prepared", () => {
  it('is found when buyer or seller opens the list of cases', async () => {
    const { found, refundSignature } = await refundLate()
    await reconcileOpenCasesOf(world.database, world.buyer.address, 0)
    await world.untilCase(found.signature, { status: 'refunded', refundSignature })
  })

  it('is found whatever slot an endpoint told when the purchase was held', async () => {
    const { found, purchase, refundSignature } = await refundLate()
    await world.connection.pool.query('update purchases set held_at_slot = held_at_slot + 1000000 where id = $1', [purchase.purchaseId])
    await world.untilCase(found.signature, { status: 'refunded', refundSignature })
  })

  it('rules out a delivery as soon as it has landed, before anybody has found it', async () => {
    const { found, purchase, rivalHold, confirm, refundSignature } = await refundLate()
    await world.cancel(world.rival, rivalHold)
    const refused = { code: 'PAYMENT_MISMATCH', detail: 'its seller is sending the SOL back.' }
    await expect(confirm()).rejects.toMatchObject(refused)
    await world.untilCase(found.signature, { status: 'refunded', refundSignature })
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('is found behind what its buyer sends after it with the same reference', async () => {
    const { found, purchase, rivalHold, reference, refundSignature } = await refundLate()
    for (let n = 1n; n <= 6n; n++) await world.transact(world.buyer, transfer(world.buyer, world.buyer.address, n, [reference]))
    await world.cancel(world.rival, rivalHold)
    await world.untilCase(found.signature, { status: 'refunded', refundSignature })
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })
})

describe('a signature that one endpoint lists under the reference of a refund', () => {
  const invented = '5'.repeat(88) as Signature

  async function listInvented(changes: Partial<Chain> = {}) {
    const { found } = await payLate()
    const { reference } = await world.prepareRefund(world.seller, found)
    const seen = world.withChain({
      recentSignatures: async (of, ...rest) => {
        const listed = await world.chain.recentSignatures(of, ...rest)
        return of === reference ? [{ signature: invented, slot: 1n, failed: false }, ...listed] : listed
      },
      ...changes,
    })
    const isPrepared = async () => {
      const { rows } = await world.connection.pool.query<{ height: bigint | null }>(
        'select refund_expiry_height as height from cases where id = $1',
        [found.caseId],
      )
      return rows[0]!.height !== null
    }
    const reconcile = async () => {
      await world.mine(200)
      await world.makeCasesDue()
      await seen.reconcileOnce()
    }
    return { isPrepared, reconcile }
  }

  it('may be the refund for a quarter of an hour, although none shows it', async () => {
    const { isPrepared, reconcile } = await listInvented()
    await reconcile()
    expect(await isPrepared()).toBe(true)
    endWaits()
    await reconcile()
    expect(await isPrepared()).toBe(false)
  })

  it.each<[string, Partial<Chain>]>([
    ['one knows its status', { statuses: async ([of]) => new Map([[of!, { slot: 1n, commitment: 'finalized', failed: false }]]) }],
    ['one could not tell what it knows of it', { isWhole: (...about) => !about.includes(invented) }],
  ])('may be the refund as long as %s', async (_, changes) => {
    const { isPrepared, reconcile } = await listInvented(changes)
    for (let round = 0; round < 3; round += 1) {
      await reconcile()
      endWaits()
    }
    expect(await isPrepared()).toBe(true)
  })
})

it('the list of cases is read page by page, open cases first', async () => {
  const ids = [await payLate(), await payLate(), await payLate()].map(({ found }) => found.caseId)
  for (const id of ids.slice(1)) await closeCase(world.deps, id, 'paid back by hand')
  const shown: Case[] = []
  for (let cursor: string | null | undefined; cursor !== null && shown.length <= ids.length;) {
    const page = await listCases(world.deps, { wallet: world.buyer.address, limit: 1, cursor })
    expect(page.cases).toHaveLength(1)
    shown.push(...page.cases)
    cursor = page.nextCursor
  }
  expect(shown.map(({ caseId }) => caseId)).toEqual([ids[0], ids[2], ids[1]])
  expect(shown.map(({ status }) => status)).toEqual(['open', 'closed', 'closed'])
  await expect(listCases(world.deps, { limit: 1, cursor: 'waits.1' })).rejects.toEqual(refusal('CURSOR_INVALID'))
})

it('a refund that was prepared and never sent no longer prevents the delivery once it has expired', async () => {
  const { found, purchase, rivalHold } = await payLate()
  await world.signRefund(world.seller, found)
  await world.cancel(world.rival, rivalHold)
  await world.untilStatus(purchase, 'settled')
  await world.expectCase(found.signature, { status: 'delivered' })
})

it.each(['cases set refund_expiry_height = refund_expiry_height', 'refunds_seen set expiry_height = expiry_height'])(
  'a height that an endpoint told far too high does not prevent the delivery for ever: %s',
  async (height) => {
    const { found, purchase, rivalHold } = await payLate()
    const refund = await world.signRefund(world.seller, found)
    await insertSeenRefunds(world.database, found.caseId, [{ signature: refund.signature, expiryHeight: 1n }])
    await world.connection.pool.query(`update ${height} + 1000000`)
    await world.cancel(world.rival, rivalHold)
    await world.mine(200)
    await world.makeCasesDue()
    await world.reconcileOnce()
    for (let time = 0; time < 3; time++) await world.mine(250)
    await world.untilStatus(purchase, 'settled')
  },
)

it('a height that one endpoint is far behind of does not come down', async () => {
  const { found } = await payLate()
  await world.signRefund(world.seller, found)
  await world.mine(200)
  await world.mine(200)
  const read = async () =>
    (
      await world.connection.pool.query<{ height: bigint }>('select refund_expiry_height as height from cases where id = $1', [
        found.caseId,
      ])
    ).rows
  await world.connection.pool.query('update cases set refund_expiry_height = refund_expiry_height + 500 where id = $1', [found.caseId])
  const before = await read()
  const behind = world.withChain({ finalized: async (...asked) => ({ ...(await world.chain.finalized(...asked)), height: 1n }) })
  await world.makeCasesDue()
  await behind.reconcileOnce()
  expect(await read()).toEqual(before)
})

it('nor keep a case whose refund never lands', async () => {
  const { found } = await payLate()
  const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
  await submit(found, await world.signRefund(world.seller, found))
  broadcast.mockRestore()
  await world.connection.pool.query('update payments set expiry_height = expiry_height + 1000000 where case_id = $1', [found.caseId])
  await world.makeCasesDue()
  await world.withChain({ broadcast: async () => undefined }).reconcileOnce()
  for (let time = 0; time < 3; time++) await world.mine(250)
  await world.makeCasesDue()
  await world.withChain({ broadcast: async () => undefined }).reconcileOnce()
  await world.expectCase(found.signature, { status: 'open', refundable: true })
})

it('the same refund, submitted several times at once, is one refund with one answer', async () => {
  const { found } = await payLate()
  const refund = await world.signRefund(world.seller, found)
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(found, refund)))
  expect(new Set(answers)).toEqual(new Set([refund.signature]))
  await world.untilCase(found.signature, { status: 'refunded' })
})

it('a case from before a restart of the local chain is closed, because its SOL is gone', async () => {
  const { found, purchase } = await payLate()
  await submit(found, await world.signRefund(world.seller, found))
  await world.connection.pool.query(`update purchases set genesis_hash = 'earlier' where id = $1`, [purchase.purchaseId])
  await world.untilCase(found.signature, { status: 'closed', note: expect.stringContaining('was restarted') })
  await world.connection.pool.query('update purchases set genesis_hash = $1', [await world.chain.genesisHash()])
})

describe('a payment that lands after its hold ended', () => {
  it('is no longer delivered once its refund is recorded', async () => {
    const { found, purchase, rivalHold, confirm } = await payLate()
    await submit(found, await world.signRefund(world.seller, found))
    await world.cancel(world.rival, rivalHold)
    await expect(confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.untilCase(found.signature, { status: 'refunded' })
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('can no longer be refunded once it is delivered', async () => {
    const { found, purchase, rivalHold } = await payLate()
    await world.cancel(world.rival, rivalHold)
    await world.untilCase(found.signature, { status: 'delivered', refundable: false })
    expect((await world.read(purchase.purchaseId)).status).toBe('settled')
    await expect(prepareRefund(world.deps, world.seller.address, found.caseId)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
  })

  it('is no longer said to wait for the listing once that is sold', async () => {
    const { found, rivalHold } = await payLate()
    expect(found.explanation).toContain('if the listing becomes free')
    await world.submit(world.rival, rivalHold, await world.signPayment(world.rival, rivalHold))
    const explanation: string = expect.not.stringContaining('if the listing becomes free')
    await world.untilCase(found.signature, { status: 'open', refundable: true, explanation })
  })
})

it.each([
  ['before the database went back', '0'],
  ['before the market was open again: the database may have gone back once more', '1 hour'],
])('a refund that the database has lost rules out a delivery: what had ended %s is only refunded', async (_when, earlier) => {
  const { found, purchase, rivalHold, confirm } = await payLate()
  const { seller, buyer } = world
  await world.transact(
    seller,
    transfer(seller, buyer.address, BigInt(found.lamports), [world.deps.references.make('refund', seller.address)]),
  )
  await world.cancel(world.rival, rivalHold)
  await recordRewind(world.deps, { cause: 'restored' })
  const end = `update rewinds set found_at = found_at - $1::interval, ended_at = now(), ended_by = 'a clean recovery' where ended_at is null`
  await world.connection.pool.query(end, [earlier])
  await expect(confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
  await world.makeCasesDue()
  await world.reconcileOnce()
  expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  const explanation: string = expect.not.stringContaining('if the listing becomes free')
  await world.expectCase(found.signature, { kind: 'late', status: 'open', refundable: true, explanation })
})

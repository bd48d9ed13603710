import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { closeCase } from '../../../src/purchases/cases/open-case.ts'
import { findPurchase } from '../../../src/purchases/purchase/purchase-store.ts'
import { settlePayment, candidateOf, verifyCandidate } from '../../../src/purchases/settlement/settle-payment.ts'
import { type Line } from '../../runtime/collected-log.ts'
import { useTradingWorld } from '../trading-world.ts'

const world = useTradingWorld()

const linesAbout = (purchaseId: string) => world.lines.filter(({ purchase }) => purchase === purchaseId)

/** A transaction as reconciliation reads it for a purchase. */
async function readCandidate(purchaseId: string, text: string) {
  const signature = text as Signature
  const purchase = await findPurchase(world.database, purchaseId)
  const status = (await world.chain.statuses([signature])).get(signature)
  return { purchase: purchase!, candidate: await verifyCandidate(world.deps, purchase!, candidateOf(world.chain, signature, status)) }
}

async function submitted() {
  const purchase = await world.holdNew()
  return { purchase, payment: await world.signPayment(world.buyer, purchase) }
}

describe('the log', () => {
  it('has one line for a sale, whoever found its payment and however often it was confirmed', async () => {
    const { purchase, payment } = await submitted()
    const { purchaseId, listingId, lamports } = purchase
    await world.sendByWallet(payment)
    const found = await readCandidate(purchaseId, payment.signature)
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => settlePayment(world.deps, found.purchase, found.candidate)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'settled'))
    await world.confirm(world.buyer, listingId, payment.signature)
    expect(linesAbout(purchaseId)).toMatchObject([
      {
        level: 30,
        msg: 'a sale',
        buyer: world.buyer.address,
        items: [{ seller: world.seller.address, listing: listingId, tokenType: 'APPLE_JUICE', amount: 10, lamports }],
        lamports,
        fee: '0',
        transaction: payment.signature,
        waitingFor: 'its payment to be finalized',
      },
    ])
  })

  it('has one line for a case that is opened, and one when it is closed', async () => {
    const { purchase, payment } = await submitted()
    const { purchaseId } = purchase
    await world.payByWallet(world.buyer, purchase, { lamports: BigInt(purchase.lamports) - 5_000_000n })
    await world.reconcileUntil(async () => expect(await world.casesOf(world.buyer)).toHaveLength(1))
    const [opened] = await world.casesOf(world.buyer)
    const reported = await readCandidate(purchaseId, opened!.signature)
    for (let time = 0; time < 2; time++) await settlePayment(world.deps, reported.purchase, reported.candidate)
    // What is told to the database again may change the case, but opens no other.
    await world.connection.pool.query('update cases set deliverable = true where id = $1', [opened!.caseId])
    await settlePayment(world.deps, reported.purchase, reported.candidate)
    await closeCase(world.deps, opened!.caseId, 'settled by mail')
    const about = { case: opened!.caseId, buyer: world.buyer.address, seller: world.seller.address, kind: 'wrong' }
    expect(linesAbout(purchaseId)).toMatchObject([
      { ...about, level: 30, msg: 'a case was opened', status: 'open', waitingFor: 'the seller to refund it' },
      { ...about, level: 30, msg: 'a case was closed', status: 'closed', waitingFor: null },
    ])
    await world.sendByWallet(payment)
    await world.untilStatus(purchase, 'settled')
  })

  it('has one line for the sale and one for the case that a late delivery closes', async () => {
    const { purchase, payment } = await submitted()
    const { purchaseId } = purchase
    await world.lapse(purchase)
    const held = await world.hold(world.rival, purchase.listingId)
    await world.sendByWallet(payment)
    await world.reconcileUntil(async () => expect(await world.casesOf(world.buyer)).toMatchObject([{ kind: 'late' }]))
    await world.lapse(held)
    await world.untilStatus(purchase, 'settled')
    expect(linesAbout(purchaseId).map(({ msg, status }) => [msg, status])).toEqual([
      ['a case was opened', 'open'],
      ['a sale', undefined],
      ['a case was closed', 'delivered'],
    ])
  })

  it('alone says which purchase waits, for what, and since when', async () => {
    const deaf = world.withChain({ broadcast: async () => undefined })
    const { purchase, payment } = await submitted()
    const { purchaseId } = purchase
    await deaf.submit(world.buyer, purchase, payment)
    const { pool } = world.connection
    await pool.query(`update payments set created_at = now() - interval '40 seconds' where purchase_id = $1`, [purchaseId])
    for (let round = 0; round < 3; round++) {
      await world.makePurchasesDue()
      await deaf.reconcileOnce()
    }
    const { rows } = await pool.query<{ created_at: Date }>('select created_at from payments where purchase_id = $1', [purchaseId])
    expect(answerFrom(world.lines)).toEqual([
      {
        purchase: purchaseId,
        buyer: world.buyer.address,
        waitingFor: 'its payment to land on the chain',
        since: rows[0]!.created_at.toISOString(),
      },
    ])
    await world.reconcileUntil(async () => expect(linesAbout(purchaseId).at(-1)?.msg).toBe('a sale'))
    expect(answerFrom(world.lines)).toEqual([])
  })

  it('names purchase, buyer and what it waits for where reconciling fails for a reason that nobody foresaw, and the reason', async () => {
    const { purchase, payment } = await submitted()
    await world.submit(world.buyer, purchase, payment)
    await world.makePurchasesDue()
    await world.withChain({ statuses: () => Promise.reject(new TypeError('odd')) }).reconcileOnce()
    expect(linesAbout(purchase.purchaseId)).toMatchObject([
      {
        level: 50,
        buyer: world.buyer.address,
        waitingFor: 'its payment to land on the chain',
        err: { stack: expect.stringContaining('odd') },
      },
    ])
    await world.untilStatus(purchase, 'settled')
  })
})

/** What a person on call reads: the last line about each purchase that waits. */
function answerFrom(lines: readonly Line[]) {
  const last = new Map(lines.filter((line) => 'purchase' in line).map((line) => [line['purchase'], line]))
  return [...last.values()]
    .filter(({ msg }) => msg.includes('waits'))
    .map(({ purchase, buyer: of, waitingFor, since }) => ({ purchase, buyer: of, waitingFor, since }))
}

import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { listCases } from '../../../src/purchases/cases/case-reply-store.ts'
import { reconcileOpenCasesOf } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { closeCase } from '../../../src/purchases/cases/close-case.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { recordRewind } from '../../../src/studio/recovery/rewind/record-rewind.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { signRefund } from '../sign-refund.ts'
import {
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  makeCasesDue,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let rival: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void ([buyer, rival] = await Promise.all([world.createWallet(), world.createWallet()])))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

interface UnmatchedPayment {
  found: Case
  purchase: Purchase
  rivalHold: Purchase
}

/** A late payment whose listing a rival holds: it may still be delivered, and its seller may pay it back. */
async function payLate(): Promise<UnmatchedPayment> {
  const listingId = await list(world, seller)
  const purchase = await hold(world, buyer, listingId)
  await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  const rivalHold = await hold(world, rival, listingId)
  const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
  await expect(confirmPurchase(world.deps, buyer.address, listingId, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
  const found = await caseOf(signature)
  expect(found).toMatchObject({ kind: 'late', status: 'open', refundable: true })
  return { found, purchase, rivalHold }
}

async function caseOf(signature: string): Promise<Case> {
  const found = (await casesOf(world, buyer.address)).find((it) => it.signature === signature)
  if (!found) throw new Error('no case')
  return found
}

const cancelRivalHold = ({ rivalHold }: UnmatchedPayment) => cancelHold(world.deps, rival.address, rivalHold.purchaseId)

describe("a refund that the seller's wallet sends by itself", () => {
  it('is found, and closes the case', async () => {
    const payment = await payLate()
    const refund = await signRefund(world, seller, payment.found)
    await sendByWallet(world, refund)
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'refunded', refundSignature: refund.signature })
    })
    await expect(prepareRefund(world.deps, seller.address, payment.found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
  })

  it('is not followed by a delivery', async () => {
    const payment = await payLate()
    const refund = await signRefund(world, seller, payment.found)
    await cancelRivalHold(payment)
    const { listingId } = payment.purchase
    await expect(confirmPurchase(world.deps, buyer.address, listingId, payment.found.signature)).rejects.toMatchObject({
      code: 'PAYMENT_CASE',
    })
    await sendByWallet(world, refund)
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'refunded' })
    })
    expect(await readPurchase(world, payment.purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })
})

describe("a refund that the seller's wallet signs long after it was prepared", () => {
  /** A late payment whose refund was prepared and proved expired, and which the seller's wallet then sends all the same. */
  async function refundLate() {
    const payment = await payLate()
    const { caseId } = payment.found
    const { reference, lamports: amount } = await prepareRefund(world.deps, seller.address, caseId)
    await reconcileUntil(world, async () => {
      const { refundExpiryHeight } = await world.database
        .selectFrom('cases')
        .select('refundExpiryHeight')
        .where('id', '=', caseId)
        .executeTakeFirstOrThrow()
      expect(refundExpiryHeight).toBeNull()
    })
    const again = transfer(seller, buyer.address, BigInt(amount), [reference])
    const signature = await sendByWallet(world, await signTransaction(world, seller, [again]))
    return { payment, reference, signature }
  }

  it('is found when buyer or seller opens the list of cases', async () => {
    const { payment, signature } = await refundLate()
    await reconcileOpenCasesOf(world.database, buyer.address, 0)
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'refunded', refundSignature: signature })
    })
  })

  it('is found whatever slot an endpoint told when the purchase was held', async () => {
    const { payment, signature } = await refundLate()
    const { purchaseId } = payment.purchase
    await world.connection.pool.query('update purchases set held_at_slot = held_at_slot + 1000000 where id = $1', [purchaseId])
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'refunded', refundSignature: signature })
    })
  })

  it('rules out a delivery as soon as it has landed, before anybody has found it', async () => {
    const { payment, signature } = await refundLate()
    await cancelRivalHold(payment)
    const { listingId, purchaseId } = payment.purchase
    await expect(confirmPurchase(world.deps, buyer.address, listingId, payment.found.signature)).rejects.toMatchObject({
      code: 'PAYMENT_MISMATCH',
      detail: 'its seller is sending the SOL back.',
    })
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'refunded', refundSignature: signature })
    })
    expect(await readPurchase(world, purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('is found behind what its buyer sends after it with the same reference', async () => {
    const { payment, reference, signature } = await refundLate()
    for (let n = 1n; n <= 6n; n++) {
      const mention = transfer(buyer, buyer.address, n, [reference])
      await sendByWallet(world, await signTransaction(world, buyer, [mention]))
    }
    await cancelRivalHold(payment)
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'refunded', refundSignature: signature })
    })
    expect(await readPurchase(world, payment.purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })
})

describe('the list of cases', () => {
  it('is read page by page, open cases first', async () => {
    const payments = [await payLate(), await payLate(), await payLate()]
    const ids = payments.map(({ found }) => found.caseId)
    for (const id of ids.slice(1)) await closeCase(world.deps, id, 'paid back by hand')
    const shown: Case[] = []
    for (let cursor: string | null | undefined; cursor !== null && shown.length <= ids.length;) {
      const page = await listCases(world.deps, { wallet: buyer.address, limit: 1, cursor })
      expect(page.cases).toHaveLength(1)
      shown.push(...page.cases)
      cursor = page.nextCursor
    }
    expect(shown.map(({ caseId }) => caseId)).toEqual([ids[0], ids[2], ids[1]])
    expect(shown.map(({ status }) => status)).toEqual(['open', 'closed', 'closed'])
    await expect(listCases(world.deps, { limit: 1, cursor: 'waits.1' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
  })
})

describe('a refund that was prepared and never sent', () => {
  it('no longer prevents the delivery once it has expired', async () => {
    const payment = await payLate()
    await signRefund(world, seller, payment.found)
    await cancelRivalHold(payment)
    await reconcileUntil(world, async () => {
      expect(await readPurchase(world, payment.purchase.purchaseId)).toMatchObject({ status: 'settled' })
    })
    expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'delivered' })
  })
})

describe('a late payment whose listing is sold', () => {
  it('is no longer said to wait for the listing', async () => {
    const payment = await payLate()
    expect(payment.found.explanation).toContain('if the lot becomes free')
    const { base64 } = await signPayment(world, rival, payment.rivalHold)
    await submitPayment(world.deps, rival.address, payment.rivalHold.purchaseId, base64)
    await reconcileUntil(world, async () => {
      expect((await caseOf(payment.found.signature)).explanation).not.toContain('if the lot becomes free')
    })
    expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'open', refundable: true })
  })
})

describe('a case from before a restart of the local chain', () => {
  it('is closed, because its SOL is gone', async () => {
    const { found, purchase } = await payLate()
    await submitRefund(world.deps, seller.address, found.caseId, (await signRefund(world, seller, found)).base64)
    await world.connection.pool.query(`update purchases set genesis_hash = 'earlier' where id = $1`, [purchase.purchaseId])
    await reconcileUntil(world, async () => {
      expect(await caseOf(found.signature)).toMatchObject({ status: 'closed', note: expect.stringContaining('was restarted') })
    })
    const { genesisHash } = await world.database
      .selectFrom('purchases')
      .select('genesisHash')
      .where('id', '<>', purchase.purchaseId)
      .executeTakeFirstOrThrow()
    await world.connection.pool.query('update purchases set genesis_hash = $1', [genesisHash])
  })
})

describe('the same refund, submitted', () => {
  it('several times at once, is one refund with one answer', async () => {
    const { found } = await payLate()
    const refund = await signRefund(world, seller, found)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => submitRefund(world.deps, seller.address, found.caseId, refund.base64)),
    )
    expect(new Set(answers)).toEqual(new Set([refund.signature]))
    await reconcileUntil(world, async () => expect(await caseOf(found.signature)).toMatchObject({ status: 'refunded' }))
  })
})

describe('a late payment that is delivered', () => {
  it('can no longer be refunded', async () => {
    const payment = await payLate()
    await cancelRivalHold(payment)
    await reconcileUntil(world, async () => {
      expect(await caseOf(payment.found.signature)).toMatchObject({ status: 'delivered', refundable: false })
    })
    await untilStatus(world, payment.purchase.purchaseId, 'settled')
    await expect(prepareRefund(world.deps, seller.address, payment.found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
  })
})

describe('a refund that the database has lost', () => {
  it('rules out a delivery: what had ended before the database went back is only refunded', async () => {
    const payment = await payLate()
    const { found, purchase } = payment
    const refund = transfer(seller, buyer.address, BigInt(found.lamports), [world.deps.references.make('refund')])
    await sendByWallet(world, await signTransaction(world, seller, [refund]))
    await cancelRivalHold(payment)
    await recordRewind(world.deps, { cause: 'restored' })
    await world.connection.pool.query(`update rewinds set ended_at = now(), ended_by = 'a clean recovery'`)
    await expect(confirmPurchase(world.deps, buyer.address, purchase.listingId, found.signature)).rejects.toMatchObject({
      code: 'PAYMENT_CASE',
    })
    await makeCasesDue(world)
    await reconcileOnce(world.deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended' })
    const kept = await caseOf(found.signature)
    expect(kept).toMatchObject({ kind: 'late', status: 'open', refundable: true })
    expect(kept.explanation).not.toContain('if the lot becomes free')
  })
})

import { base64 } from '@scure/base'
import { type Signature } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { getBase64EncodedWireTransaction, getSignatureFromTransaction, getTransactionDecoder, partiallySignTransaction } from '@solana/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { listCases } from '../../../src/purchases/cases/case-reply-store.ts'
import { reconcileOpenCasesOf } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { closeCase } from '../../../src/purchases/cases/close-case.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import {
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  sendByWallet,
  type SignedPayment,
  signPayment,
  signTransaction,
  transfer,
  type TradingWorld,
  untilStatus,
  type Wallet,
  watchUntil,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let rival: Wallet

beforeAll(async () => {
  world = await openTradingWorld({ slotMillis: 20 })
  seller = await world.createWallet()
})

beforeEach(async () => void ([buyer, rival] = await Promise.all([world.createWallet(), world.createWallet()])))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

interface Stray {
  found: Case
  purchase: Purchase
  rivalHold: Purchase
}

/** A late payment whose lot somebody else holds: it may still be delivered, and its seller may pay it back. */
async function strayPayment(price = 50_000_000n): Promise<Stray> {
  const listingId = await list(world, seller, { price })
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

async function signRefund({ caseId }: Case): Promise<SignedPayment> {
  const { transaction } = await prepareRefund(world.deps, seller.address, caseId)
  const signed = await partiallySignTransaction([seller.signer.keyPair], getTransactionDecoder().decode(base64.decode(transaction)))
  const wire = getBase64EncodedWireTransaction(signed)
  return { base64: wire, bytes: base64.decode(wire), signature: getSignatureFromTransaction(signed) as string as Signature }
}

const letRivalGo = ({ rivalHold }: Stray) => cancelHold(world.deps, rival.address, rivalHold.purchaseId)
const lookAtCases = () => world.connection.pool.query('update cases set reconcile_at = now() where reconcile_at is not null')

describe('a refund that the wallet of the seller sends by itself', () => {
  it('is found, and closes the case', async () => {
    const stray = await strayPayment()
    const refund = await signRefund(stray.found)
    await sendByWallet(world, refund)
    await watchUntil(world, async () => {
      expect(await caseOf(stray.found.signature)).toMatchObject({ status: 'refunded', refundSignature: refund.signature })
    })
    await expect(prepareRefund(world.deps, seller.address, stray.found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
  })

  it('is not followed by a delivery', async () => {
    const stray = await strayPayment()
    const refund = await signRefund(stray.found)
    await letRivalGo(stray)
    const { listingId } = stray.purchase
    await expect(confirmPurchase(world.deps, buyer.address, listingId, stray.found.signature)).rejects.toMatchObject({
      code: 'PAYMENT_CASE',
    })
    await sendByWallet(world, refund)
    await watchUntil(world, async () => {
      await lookAtCases()
      expect(await caseOf(stray.found.signature)).toMatchObject({ status: 'refunded' })
    })
    expect(await readPurchase(world, stray.purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })
})

describe('a refund that the wallet of the seller signs long after it was prepared', () => {
  it('is found when either side looks at its cases', async () => {
    const stray = await strayPayment()
    const { reference, lamports: amount } = await prepareRefund(world.deps, seller.address, stray.found.caseId)
    await watchUntil(world, async () => {
      await lookAtCases()
      const { refundExpiryHeight } = await world.database
        .selectFrom('cases')
        .select('refundExpiryHeight')
        .where('id', '=', stray.found.caseId)
        .executeTakeFirstOrThrow()
      expect(refundExpiryHeight).toBeNull()
    })
    const again = transfer(seller, buyer.address, lamports(BigInt(amount)), [reference])
    const signature = await sendByWallet(world, await signTransaction(world, seller, [again]))
    await reconcileOpenCasesOf(world.database, buyer.address, 0)
    await watchUntil(world, async () => {
      expect(await caseOf(stray.found.signature)).toMatchObject({ status: 'refunded', refundSignature: signature })
    })
  })
})

describe('the list of cases', () => {
  it('is read page by page, with those that wait first', async () => {
    const strays = [await strayPayment(51_000_000n), await strayPayment(52_000_000n), await strayPayment(53_000_000n)]
    const ids = strays.map(({ found }) => found.caseId)
    for (const id of ids.slice(1)) await closeCase(world.database, id, 'paid back by hand')
    const shown: Case[] = []
    for (let cursor: string | null | undefined; cursor !== null && shown.length <= ids.length;) {
      const page = await listCases(world.database, { wallet: buyer.address, limit: 1, cursor })
      expect(page.cases).toHaveLength(1)
      shown.push(...page.cases)
      cursor = page.nextCursor
    }
    expect(shown.map(({ caseId }) => caseId)).toEqual([ids[0], ids[2], ids[1]])
    expect(shown.map(({ status }) => status)).toEqual(['open', 'closed', 'closed'])
    await expect(listCases(world.database, { limit: 1, cursor: 'waits.1' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
  })
})

describe('a refund that was prepared and never sent', () => {
  it('no longer stands against the delivery once it cannot land any more', async () => {
    const stray = await strayPayment()
    await signRefund(stray.found)
    await letRivalGo(stray)
    await watchUntil(world, async () => {
      await lookAtCases()
      expect(await readPurchase(world, stray.purchase.purchaseId)).toMatchObject({ status: 'settled' })
    })
    expect(await caseOf(stray.found.signature)).toMatchObject({ status: 'delivered' })
  })
})

describe('a late payment whose lot is gone for good', () => {
  it('is no longer said to wait for it', async () => {
    const stray = await strayPayment()
    expect(stray.found.explanation).toContain('if the lot becomes free')
    const payment = await signPayment(world, rival, stray.rivalHold)
    await submitPayment(world.deps, rival.address, stray.rivalHold.purchaseId, payment.base64)
    await watchUntil(world, async () => {
      await lookAtCases()
      expect((await caseOf(stray.found.signature)).explanation).not.toContain('if the lot becomes free')
    })
    expect(await caseOf(stray.found.signature)).toMatchObject({ status: 'open', refundable: true })
  })
})

describe('a case of a local chain that was started anew', () => {
  it('is closed, for the SOL that it is about is gone', async () => {
    const { found, purchase } = await strayPayment()
    await submitRefund(world.deps, seller.address, found.caseId, (await signRefund(found)).base64)
    await world.connection.pool.query(`update purchases set genesis_hash = 'earlier' where id = $1`, [purchase.purchaseId])
    await watchUntil(world, async () => {
      await lookAtCases()
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

describe('equal refunds handed in', () => {
  it('many times at once are one refund with one answer', async () => {
    const { found } = await strayPayment()
    const refund = await signRefund(found)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => submitRefund(world.deps, seller.address, found.caseId, refund.base64)),
    )
    expect(new Set(answers)).toEqual(new Set([refund.signature]))
    await watchUntil(world, async () => expect(await caseOf(found.signature)).toMatchObject({ status: 'refunded' }))
  })
})

describe('a late payment that is delivered', () => {
  it('cannot be refunded any more', async () => {
    const stray = await strayPayment()
    await letRivalGo(stray)
    await watchUntil(world, async () => {
      await lookAtCases()
      expect(await caseOf(stray.found.signature)).toMatchObject({ status: 'delivered', refundable: false })
    })
    await untilStatus(world, stray.purchase.purchaseId, 'settled')
    await expect(prepareRefund(world.deps, seller.address, stray.found.caseId)).rejects.toMatchObject({ code: 'CASE_NOT_OPEN' })
  })
})

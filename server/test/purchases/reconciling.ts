import { type Purchase } from '@juicebar/contract/schemas'
import { expect } from 'vitest'

import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import { readPurchase, type TradingWorld, type Wallet } from './trading-world.ts'

/** Makes one purchase due, however recently it was reconciled. */
export async function makeDue({ connection }: TradingWorld, { purchaseId }: Pick<Purchase, 'purchaseId'>): Promise<void> {
  await connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchaseId])
}

/** Closes a hold's payment window, by the database's clock, and makes the purchase due. */
export async function closePaymentWindow({ connection }: TradingWorld, { purchaseId }: Pick<Purchase, 'purchaseId'>): Promise<void> {
  await connection.pool.query(
    `with closed as (
       update purchases set pay_before = now() - interval '1 second', reconcile_at = now() where id = $1 returning id, pay_before
     ) update listings set held_until = pay_before from closed where held_by = closed.id`,
    [purchaseId],
  )
}

/** Reconciles once: the purchase must still be held, so whatever was sent did not pay for it. */
export async function expectStillHeld(world: TradingWorld, { purchaseId }: Purchase): Promise<void> {
  await reconcileOnce(world.deps)
  expect(await readPurchase(world, purchaseId)).toMatchObject({ status: 'held' })
}

/** Cancels a hold at once, even one that the buyer's wallet could still pay, so that its buyer has room for others. */
export async function abandonHold(world: TradingWorld, buyer: Wallet, { purchaseId }: Purchase): Promise<void> {
  await world.connection.pool.query('update purchases set server_sends = true where id = $1', [purchaseId])
  await cancelHold(world.deps, buyer.address, purchaseId)
}

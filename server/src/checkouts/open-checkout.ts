import { Failure } from '@juicebar/contract/errors'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Job } from '../runtime/repeat.ts'
import { isUrlToken } from '../runtime/url-token.ts'
import { checkoutPage, type CheckoutRow, requirePublicId } from './checkout.ts'
import { expireCheckouts, findCheckout, markOpened } from './checkout-store.ts'

/**
 * The checkout that a player opens, by the end of its address.
 * @throws CHECKOUT_NOT_FOUND
 */
export async function openCheckout(database: Database, publicId: string): Promise<CheckoutRow> {
  const checkout = await findCheckout(database, { publicId: requirePublicId(publicId) })
  if (!checkout) throw new Failure('CHECKOUT_NOT_FOUND')
  if (checkout.openedAt === null) await markOpened(database, checkout.id)
  return checkout
}

/** The metadata in the head of a checkout's page; undefined if there is none. */
export async function readCheckoutPage(database: Database, catalogue: Pick<Catalogue, 'nameOf'>, publicId: string) {
  const checkout = isUrlToken(publicId) ? await findCheckout(database, { publicId }) : undefined
  return checkout && checkoutPage(checkout, catalogue)
}

/** Of one short statement. */
const EXPIRED_AT_ONCE = 500
const EVERY_MILLIS = 1_000

/** Ends checkouts whose time is over, within about a second; every server does this. */
export function expiryJob(database: Database): Job {
  return {
    name: 'expired checkouts',
    everyMillis: EVERY_MILLIS,
    failure: 'checkouts cannot be ended; trying again',
    run: async (signal) => {
      while (!signal.aborted && (await expireCheckouts(database, EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
    },
  }
}

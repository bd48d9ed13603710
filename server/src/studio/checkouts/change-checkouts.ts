import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { isId } from '@juicebar/contract/ids'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { type StudioKey } from '../../http/credentials.ts'
import { attemptReply, checkoutReply, type CheckoutDraft, type CheckoutRow } from '../../checkouts/checkout.ts'
import {
  findCheckout,
  findKeyedCheckout,
  insertCheckout,
  listAttempts,
  listCheckouts,
  lockCheckout,
  markExpired,
} from '../../checkouts/checkout-store.ts'
import { newUrlToken } from '../../runtime/url-token.ts'
import { insertLogEntry } from '../log/studio-log-store.ts'

/**
 * Makes a checkout. The same call again returns the one that it made first, in its current state.
 * @throws IDEMPOTENCY_KEY_REUSED if the key belongs to another one
 */
export async function createCheckout(
  database: Database,
  draft: CheckoutDraft,
  { key, idempotencyKey }: { key: StudioKey; idempotencyKey: string },
): Promise<CheckoutRow> {
  const named = { namespace: key.namespace, idempotencyKey }
  const id = await insertCheckout(database, draft, { ...named, publicId: newUrlToken(), actor: key.name })
  if (id !== undefined) return requireCheckout(database, id)
  const known = await findKeyedCheckout(database, draft, named)
  if (!known?.isSame) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  return requireCheckout(database, known.id)
}

/** @throws CHECKOUT_NOT_FOUND */
export async function requireCheckout(database: Database, id: string): Promise<CheckoutRow> {
  const checkout = isId(id) ? await findCheckout(database, { id }) : undefined
  if (!checkout) throw new Failure('CHECKOUT_NOT_FOUND')
  return checkout
}

/**
 * One page of the checkouts.
 * @throws CURSOR_INVALID
 */
export async function readCheckouts(
  database: Database,
  { status, clientReference, cursor: before, limit = LISTINGS_PAGE }: Query<'studioCheckouts'>,
  publicOrigin: string,
): Promise<Reply<'studioCheckouts'>> {
  if (before !== undefined && !isId(before)) throw new Failure('CURSOR_INVALID')
  const found = await listCheckouts(database, { status, clientReference, before, limit: limit + 1 })
  const shown = found.slice(0, limit)
  return {
    checkouts: shown.map((row) => checkoutReply(row, publicOrigin)),
    nextCursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

/**
 * Ends a checkout that nobody has paid. Idempotent.
 * @throws CHECKOUT_NOT_FOUND, CHECKOUT_PAYING, CHECKOUT_PAID
 */
export async function endCheckout(
  database: Database,
  { id, reason, actor }: { id: string; reason?: string | undefined; actor: string },
): Promise<CheckoutRow> {
  if (!isId(id)) throw new Failure('CHECKOUT_NOT_FOUND')
  await inTransaction(database, async (tx) => {
    const status = await lockCheckout(tx, id)
    if (status === 'paying') throw new Failure('CHECKOUT_PAYING')
    if (status === 'completed') throw new Failure('CHECKOUT_PAID')
    if (status === 'open') await insertLogEntry(tx, { actor, call: 'expireCheckout', subject: id, reason: reason ?? null })
    await markExpired(tx, id)
  })
  return requireCheckout(database, id)
}

/** Of one checkout: more than anybody needs to see why it was not paid. */
const MAX_ATTEMPTS = 100

/**
 * Every try to pay a checkout, and when its page was first opened.
 * @throws CHECKOUT_NOT_FOUND
 */
export async function readAttempts(database: Database, id: string): Promise<Reply<'checkoutAttempts'>> {
  const { openedAt } = await requireCheckout(database, id)
  const attempts = await listAttempts(database, id, MAX_ATTEMPTS)
  return { openedAt: openedAt?.toISOString() ?? null, attempts: attempts.map(attemptReply) }
}

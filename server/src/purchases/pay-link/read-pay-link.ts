import { Failure } from '@juicebar/contract/errors'
import { type PayLinkState } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { isId } from '../../listings/listing.ts'
import { hashOfToken, isToken, payLinkState } from './pay-link.ts'
import { findPayLinkProgress } from './pay-link-store.ts'

/**
 * The progress of the purchase through a link, for the link's maker.
 *
 * @throws PAY_LINK_NOT_FOUND
 */
export async function readPayLinkState(database: Database, id: string): Promise<PayLinkState> {
  const progress = isId(id) ? await findPayLinkProgress(database, { id }) : undefined
  if (!progress) throw new Failure('PAY_LINK_NOT_FOUND')
  return payLinkState(progress)
}

/**
 * Returns if the link can still be paid through.
 *
 * @throws PAY_LINK_NOT_FOUND, PAY_LINK_EXPIRED, PAY_LINK_PAID
 */
export async function requirePayLink(database: Database, token: string): Promise<void> {
  const progress = isToken(token) ? await findPayLinkProgress(database, { tokenHash: hashOfToken(token) }) : undefined
  if (!progress) throw new Failure('PAY_LINK_NOT_FOUND')
  if (progress.isPaid) throw new Failure('PAY_LINK_PAID')
  if (progress.millisLeft === 0) throw new Failure('PAY_LINK_EXPIRED')
}

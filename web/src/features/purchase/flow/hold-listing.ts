import { type Reply } from '@juicebar/contract/calls'

import { call } from '../../../api/client.ts'
import { signsWithoutSending } from '../../../wallet/wallet.ts'
import { type Connection } from '../../../wallet/wallet-store.ts'

/** A held listing, and what exactly is to be paid for it. */
export type Hold = Reply<'buy'>['transactionDetails']

/**
 * Holds a listing for this wallet. Called again, it returns the same hold.
 *
 * @throws ApiError
 */
export async function holdListing(listingId: string, { wallet }: Connection): Promise<Hold> {
  const body = { transfers: true, ...(signsWithoutSending(wallet) && { sendsThrough: 'server' as const }) }
  return (await call('buy', { params: { id: listingId }, body })).transactionDetails
}

import { type Reply } from '@juicebar/contract/calls'

import { type Trader } from './trader.ts'

/** Lists drinks through the API: so many for a price in SOL. Returns the listing's id. */
export async function list({ call }: Trader, tokenType: string, amount: number, price: number, divisible = true): Promise<string> {
  const { listing } = await call<Reply<'createListing'>>('POST', 'marketplace/listings', { tokenType, amount, price, divisible })
  return listing._id
}

/** Removes a listing through the API. */
export async function remove({ call }: Trader, id: string): Promise<void> {
  await call('DELETE', `marketplace/listings/${id}`)
}

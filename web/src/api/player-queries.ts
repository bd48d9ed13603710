import { MAX_LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Purchase } from '@juicebar/contract/schemas'
import { queryOptions } from '@tanstack/react-query'

import { call } from './client.ts'
import { keys } from './queries.ts'

/** The buyer's purchases that wait for a payment, or for its confirmation. */
export const openPurchasesQuery = queryOptions({
  queryKey: keys.openPurchases,
  queryFn: async ({ signal }): Promise<Purchase[]> =>
    (await call('myPurchases', { query: { role: 'buyer', status: 'held' }, signal })).purchases,
})

/** One of the wallet's purchases, whatever has become of it. */
export function purchaseQuery(id: string) {
  return queryOptions({
    queryKey: [...keys.purchases, 'one', id],
    queryFn: async ({ signal }) => (await call('myPurchase', { params: { id }, signal })).purchase,
  })
}

/** The cases in which the signed-in wallet is buyer or seller. */
export const casesQuery = queryOptions({
  queryKey: keys.cases,
  queryFn: async ({ signal }) => (await call('cases', { query: { limit: MAX_LISTINGS_PAGE }, signal })).cases,
})

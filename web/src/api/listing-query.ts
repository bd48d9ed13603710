import { payLinkEndpoints } from '@juicebar/contract/endpoints/pay-links'
import { type PayLink, type PayLinkState } from '@juicebar/contract/schemas'
import { mutationOptions, queryOptions, skipToken } from '@tanstack/react-query'

import { call, callEndpoint } from './client.ts'

/** How often the page reloads what it shows, in milliseconds. */
const LISTING_MS = 5_000
const PAY_LINK_MS = 2_000

/** One listing, in any state. */
export function listingQuery(id: string | undefined) {
  return queryOptions({
    queryKey: ['listing', id],
    queryFn: id === undefined ? skipToken : async ({ signal }) => (await call('listing', { params: { id }, signal })).listing,
    refetchInterval: ({ state }) => (state.data?.status === 'active' ? LISTING_MS : false),
    meta: { quiet: true },
  })
}

/** Makes a payment link for a listing. */
export function payLinkMutation(id: string) {
  return mutationOptions({ mutationFn: () => callEndpoint<PayLink>(payLinkEndpoints.payLink, { params: { id } }) })
}

/** The progress of the purchase through a payment link. */
export function payLinkStateQuery(id: string) {
  return queryOptions({
    queryKey: ['pay-link', id],
    queryFn: ({ signal }) => callEndpoint<PayLinkState>(payLinkEndpoints.payLinkState, { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'delivered' || state.data?.state === 'expired' ? false : PAY_LINK_MS),
    meta: { quiet: true },
  })
}

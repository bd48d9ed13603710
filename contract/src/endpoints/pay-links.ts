/** Buying with a phone: the method and path of each call. Apart from `player.ts`, as only the page of a listing needs them. */
export const payLinkEndpoints = {
  payLink: 'POST /api/marketplace/listings/:id/pay-link',
  payLinkState: 'GET /api/marketplace/pay-links/:id',
} as const

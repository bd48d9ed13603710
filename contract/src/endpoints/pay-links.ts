/** Buying with a phone: the method and path of each call. Separate from `player.ts`, because only a listing's page needs them. */
export const payLinkEndpoints = {
  payLink: 'POST /api/marketplace/listings/:id/pay-link',
  payLinkState: 'GET /api/marketplace/pay-links/:id',
} as const

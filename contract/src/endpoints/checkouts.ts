/** Paying a checkout: its method and path. Separate from `player.ts`, because only a checkout's page needs it. */
export const checkoutEndpoints = {
  checkout: 'GET /api/checkouts/:publicId',
} as const

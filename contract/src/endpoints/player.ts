/** The calls for everyone except the studio: the method and path of each. The web app downloads no others. */
export const playerEndpoints = {
  health: 'GET /health',
  live: 'GET /health/live',
  ready: 'GET /health/ready',
  config: 'GET /api/config',

  requestNonce: 'POST /api/auth/nonce',
  verifySignature: 'POST /api/auth/verify',
  me: 'GET /api/auth/me',
  logout: 'POST /api/auth/logout',
  logoutEverywhere: 'DELETE /api/auth/sessions',

  balance: 'GET /api/tokens/balance/:walletAddress',

  listings: 'GET /api/marketplace/listings',
  listing: 'GET /api/marketplace/listings/:id',
  quote: 'GET /api/marketplace/quote',
  summary: 'GET /api/marketplace/summary',
  createListing: 'POST /api/marketplace/listings',
  changePrice: 'PATCH /api/marketplace/listings/:id',
  removeListing: 'DELETE /api/marketplace/listings/:id',
  removeListings: 'DELETE /api/marketplace/listings',
  myListings: 'GET /api/marketplace/my-listings',

  offer: 'POST /api/marketplace/offers',
  pay: 'POST /api/marketplace/payments',
  buy: 'POST /api/marketplace/buy/:id',
  purchase: 'POST /api/marketplace/purchases',
  myPurchase: 'GET /api/marketplace/purchases/:id',
  submitPayment: 'POST /api/marketplace/purchases/:id/payment',
  cancelPurchase: 'DELETE /api/marketplace/purchases/:id',
  confirmPurchase: 'POST /api/marketplace/confirm-purchase',
  confirmPayment: 'POST /api/marketplace/purchases/:id/confirm',
  myPurchases: 'GET /api/marketplace/my-purchases',

  cases: 'GET /api/marketplace/cases',
  prepareRefund: 'POST /api/marketplace/cases/:id/refund',
  submitRefund: 'POST /api/marketplace/cases/:id/refund-payment',

  events: 'GET /api/marketplace/events',

  rpc: 'POST /rpc',
} as const

export type PlayerEndpointName = keyof typeof playerEndpoints

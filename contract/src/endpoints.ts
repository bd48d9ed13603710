/** Every call of the API: its method and path. `schemas.ts` has the schemas under the same names. */
export const endpoints = {
  health: 'GET /health',
  live: 'GET /health/live',
  ready: 'GET /health/ready',
  config: 'GET /api/config',

  requestNonce: 'POST /api/auth/nonce',
  verifySignature: 'POST /api/auth/verify',
  me: 'GET /api/auth/me',
  logout: 'POST /api/auth/logout',

  balance: 'GET /api/tokens/balance/:walletAddress',

  listings: 'GET /api/marketplace/listings',
  listing: 'GET /api/marketplace/listings/:id',
  quote: 'GET /api/marketplace/quote',
  createListing: 'POST /api/marketplace/listings',
  removeListing: 'DELETE /api/marketplace/listings/:id',
  myListings: 'GET /api/marketplace/my-listings',

  buy: 'POST /api/marketplace/buy/:id',
  purchase: 'POST /api/marketplace/purchases',
  submitPayment: 'POST /api/marketplace/purchases/:id/payment',
  cancelPurchase: 'DELETE /api/marketplace/purchases/:id',
  confirmPurchase: 'POST /api/marketplace/confirm-purchase',
  confirmPayment: 'POST /api/marketplace/purchases/:id/confirm',
  myPurchases: 'GET /api/marketplace/my-purchases',

  cases: 'GET /api/marketplace/cases',
  prepareRefund: 'POST /api/marketplace/cases/:id/refund',
  submitRefund: 'POST /api/marketplace/cases/:id/refund-payment',

  events: 'GET /api/marketplace/events',

  studioCredit: 'POST /api/studio/credits',
  studioDebit: 'POST /api/studio/debits',
  studioCases: 'GET /api/studio/cases',
  closeCase: 'POST /api/studio/cases',
  studioPurchases: 'GET /api/studio/purchases',
  releasePurchase: 'POST /api/studio/purchases/:id/release',
  audit: 'GET /api/studio/audit',
  startAudit: 'POST /api/studio/audits',
  readAudit: 'GET /api/studio/audits/:id',
  readPause: 'GET /api/studio/pause',
  pauseMarket: 'PUT /api/studio/pause',
  resumeMarket: 'DELETE /api/studio/pause',
  readBlock: 'GET /api/studio/blocks/:wallet',
  blockWallet: 'PUT /api/studio/blocks/:wallet',
  unblockWallet: 'DELETE /api/studio/blocks/:wallet',
  readRules: 'GET /api/studio/rules',
  setRules: 'PUT /api/studio/rules',

  rpc: 'POST /rpc',
} as const

export type EndpointName = keyof typeof endpoints

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
  studioOrders: 'POST /api/studio/orders',
  createStudioKey: 'POST /api/studio/keys',
  studioKeys: 'GET /api/studio/keys',
  revokeStudioKey: 'DELETE /api/studio/keys/:id',
  studioLog: 'GET /api/studio/log',
  studioCases: 'GET /api/studio/cases',
  closeCase: 'POST /api/studio/cases',
  studioSales: 'GET /api/studio/sales',
  studioPlayer: 'GET /api/studio/players/:walletAddress',
  studioPurchases: 'GET /api/studio/purchases',
  studioPurchase: 'GET /api/studio/purchases/:id',
  studioStats: 'GET /api/studio/stats',
  releasePurchase: 'POST /api/studio/purchases/:id/release',
  audit: 'GET /api/studio/audit',
  startAudit: 'POST /api/studio/audits',
  readAudit: 'GET /api/studio/audits/:id',

  createWebhook: 'POST /api/studio/webhooks',
  webhooks: 'GET /api/studio/webhooks',
  changeWebhook: 'PUT /api/studio/webhooks/:id',
  deleteWebhook: 'DELETE /api/studio/webhooks/:id',
  rotateWebhook: 'POST /api/studio/webhooks/:id/rotate',
  webhookDeliveries: 'GET /api/studio/webhooks/:id/deliveries',
  replayWebhook: 'POST /api/studio/webhooks/:id/replay',

  rpc: 'POST /rpc',
} as const

export type EndpointName = keyof typeof endpoints

/** The calls for the studio. */
export const studioEndpoints = {
  studioCredit: 'POST /api/studio/credits',
  studioDebit: 'POST /api/studio/debits',
  studioCases: 'GET /api/studio/cases',
  closeCase: 'POST /api/studio/cases',
  studioPurchases: 'GET /api/studio/purchases',
  releasePurchase: 'POST /api/studio/purchases/:id/release',
  audit: 'GET /api/studio/audit',
  startAudit: 'POST /api/studio/audits',
  readAudit: 'GET /api/studio/audits/:id',
} as const

/** What the market traded and offers, in figures: the method and path of each call. Apart from `player.ts`, as only charts need them. */
export const figureEndpoints = {
  trades: 'GET /api/marketplace/trades',
  candles: 'GET /api/marketplace/candles',
  depth: 'GET /api/marketplace/depth',
  summary: 'GET /api/marketplace/summary',
} as const

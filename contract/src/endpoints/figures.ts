/**
 * What the market traded and offers, and what a player did with drinks, in figures: the method and path of each call. Separate from
 * `player.ts`, because the first load needs none of them, but for the summary.
 */
export const figureEndpoints = {
  trades: 'GET /api/marketplace/trades',
  unmatched: 'GET /api/marketplace/unmatched',
  candles: 'GET /api/marketplace/candles',
  depth: 'GET /api/marketplace/depth',

  profit: 'GET /api/marketplace/profit',
  myLedger: 'GET /api/marketplace/my-ledger',
} as const

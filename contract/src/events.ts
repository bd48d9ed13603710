import { type Case, type Listing, type Purchase } from './schemas.ts'

/** What `GET /api/marketplace/events` carries: the JSON data of each event; `type` is also the SSE event name. Purchases and cases go to their buyer and seller only. */
export type MarketEvent =
  | { type: 'listing.created' | 'listing.held' | 'listing.released' | 'listing.sold' | 'listing.removed'; listing: Listing }
  | { type: 'purchase.changed'; purchaseId: Purchase['purchaseId'] }
  | { type: 'case.changed'; caseId: Case['caseId'] }
  | { type: 'balance.changed' }
  /** The stream is open: whatever is loaded from now on misses nothing that it will carry. */
  | { type: 'ready' }
  /** This reader missed events (it was away too long): it should load everything again. */
  | { type: 'reset' }

export type MarketEventType = MarketEvent['type']

import { type Case, type Listing, type Purchase } from './schemas.ts'

/** What `GET /api/marketplace/events` carries: the SSE event name and its JSON data. Purchases and cases go to their buyer and seller only. */
export type MarketEvent =
  | { type: 'listing.created' | 'listing.held' | 'listing.released' | 'listing.sold' | 'listing.removed'; listing: Listing }
  | { type: 'purchase.changed'; purchaseId: Purchase['purchaseId'] }
  | { type: 'case.changed'; caseId: Case['caseId'] }
  | { type: 'balance.changed' }
  /** Events were lost to this reader (it was away too long): it should load everything anew. */
  | { type: 'reset' }

export type MarketEventType = MarketEvent['type']

import { type CaseSeen, type ListingSeen, type ProductRecord, type PurchaseSeen } from '../../chaos/checks/product-record.ts'

const emptyRecord: ProductRecord = { purchases: new Map(), cases: new Map(), listings: new Map(), balances: new Map(), seenBy: new Map() }

/** What the product's players see at the end of a run that had only this. */
export function recordOf({
  purchases = [],
  cases = [],
  listings = [],
}: {
  purchases?: PurchaseSeen[]
  cases?: CaseSeen[]
  listings?: ListingSeen[]
}): ProductRecord {
  return {
    ...emptyRecord,
    purchases: new Map(purchases.map((purchase) => [purchase.purchaseId, purchase])),
    cases: new Map(cases.map((found) => [found.caseId, found])),
    listings: new Map(listings.map((listing) => [listing._id, listing])),
  }
}

/** A delivered purchase of two items, with a fee. */
export const soldPurchase: PurchaseSeen = {
  purchaseId: 'p1',
  buyer: 'buyer',
  items: [
    { listingId: 'l1', partOf: null, seller: 'seller 1', tokenType: 'APPLE_JUICE', amount: 3, lamports: '300' },
    { listingId: 'l2', partOf: 'l3', seller: 'seller 2', tokenType: 'GRAPE_SODA', amount: 1, lamports: '100' },
  ],
  fee: { lamports: '10' },
  status: 'settled',
  endReason: null,
  signature: 'paid',
  createdAt: '2030-01-01T00:00:01.500Z',
  settledAt: '2030-01-01T00:00:02.500Z',
}

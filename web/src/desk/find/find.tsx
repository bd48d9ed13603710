import { useInfiniteQuery, useQuery } from '@tanstack/react-query'

import { ApiError } from '../../api/api-error.ts'
import { purchaseQuery, purchasesQuery } from '../desk-queries.ts'
import { Pages } from '../parts/rows.tsx'
import { Part } from '../parts/section.tsx'
import { Nothing, Shown } from '../parts/shown.tsx'
import { PlayerView } from './player-view.tsx'
import { PurchaseCard, PurchaseRows } from './purchase-card.tsx'
import { readSearch } from './search-field.tsx'

/** The search result, of any kind. */
export function Find({ text }: { text: string }) {
  if (!text) return <Hints />
  const search = readSearch(text)
  if (!search) {
    return (
      <Nothing>
        “{text}” is none of what can be found here: a wallet’s address, a purchase’s or a listing’s id, or the signature of a transaction.
        An explorer’s link to one of them will do.
      </Nothing>
    )
  }
  switch (search.kind) {
    case 'wallet':
      return <PlayerView key={search.walletAddress} walletAddress={search.walletAddress} />
    case 'purchase':
      return <ById key={search.purchaseId} id={search.purchaseId} />
    case 'transaction':
      return <ByTransaction key={search.signature} signature={search.signature} />
  }
}

function Hints() {
  return (
    <div className="grid gap-6">
      <Nothing>
        Paste what the player has: a wallet’s address, a purchase’s id, or the signature of a transaction. You see what happened to it, step
        by step, and what it waits for.
      </Nothing>
      <StuckHolds />
    </div>
  )
}

/** A purchase; if there is none of this id, those of the listing. */
function ById({ id }: { id: string }) {
  const query = useQuery(purchaseQuery(id))
  const unknown = query.error instanceof ApiError && query.error.code === 'PURCHASE_NOT_FOUND'
  if (unknown) return <OfListing listingId={id} />
  return (
    <Shown query={query} what="The purchase">
      {(purchase) => <PurchaseCard purchase={purchase} />}
    </Shown>
  )
}

function OfListing({ listingId }: { listingId: string }) {
  const query = useInfiniteQuery(purchasesQuery({ listingId }))
  return (
    <Pages
      query={query}
      what="The purchases of this listing"
      nothing="There is no purchase of this id, and no purchase of a listing of this id."
    >
      {(purchases) => <PurchaseRows purchases={purchases} />}
    </Pages>
  )
}

function ByTransaction({ signature }: { signature: string }) {
  const query = useInfiniteQuery(purchasesQuery({ signature }))
  return (
    <div className="grid gap-5">
      <Pages query={query} what="The purchases of this transaction" nothing="This transaction belongs to no purchase of this market.">
        {(purchases) => purchases.map((purchase) => <PurchaseCard key={purchase.purchaseId} purchase={purchase} />)}
      </Pages>
    </div>
  )
}

/** Purchases that are held now; those that only the studio can end are marked. */
function StuckHolds() {
  const query = useInfiniteQuery(purchasesQuery({ status: 'held' }))
  return (
    <Part title="Open right now" about="Purchases that wait for their payment, or for what the chain says about it.">
      <Pages query={query} what="The open purchases" nothing="Nobody is buying anything right now.">
        {(purchases) => <PurchaseRows purchases={purchases} showWaiting />}
      </Pages>
    </Part>
  )
}

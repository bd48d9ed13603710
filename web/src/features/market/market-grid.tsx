import { type Listing } from '@juicebar/contract/schemas'
import { useEffect } from 'react'

import { type Board, boardFor } from './board.ts'
import { ListingCard } from './listing-card.tsx'
import { useBoard } from './use-board.ts'
import { useVisibleRows } from './use-visible-rows.ts'

interface MarketGridProps {
  listings: readonly Listing[]
  walletAddress: string | undefined
  cooldowns: ReadonlyMap<string, number>
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
  gathered: ReadonlySet<string>
  onGather: ((listing: Listing) => void) | undefined
  /** Called when the last rows come near. */
  onEnd: () => void
}

const unmeasured = { board: boardFor(0, 16), top: 0 }

/** The board of listings. Only the cards near the window are in the page, however long the list is. */
export function MarketGrid({ listings, walletAddress, cooldowns, onBuy, gathered, onGather, onEnd }: MarketGridProps) {
  const { ref, measured } = useBoard()
  const { board, top } = measured ?? unmeasured
  const rowHeight = board.cardHeight + board.gap
  const rows = Math.ceil(listings.length / board.columns)
  const { first, end } = useVisibleRows({ count: measured ? rows : 0, rowHeight, top })
  useEffect(() => {
    if (measured && end >= rows) onEnd()
  }, [measured, end, rows, onEnd])

  const from = first * board.columns
  const visible = listings.slice(from, end * board.columns)
  return (
    <ul ref={ref} className="relative" style={{ height: rows * rowHeight - board.gap }}>
      {visible.map((listing, index) => (
        <li key={listing._id} className="place absolute top-0 left-0" style={placeStyle(board, from + index)}>
          <ListingCard
            listing={listing}
            compact={board.compact}
            isOwn={listing.seller === walletAddress}
            waitUntil={cooldowns.get(listing._id)}
            onBuy={onBuy}
            isGathered={gathered.has(listing._id)}
            onGather={onGather}
          />
        </li>
      ))}
    </ul>
  )
}

function placeStyle(board: Board, index: number) {
  const x = (index % board.columns) * (board.cardWidth + board.gap)
  const y = Math.floor(index / board.columns) * (board.cardHeight + board.gap)
  return { width: board.cardWidth, height: board.cardHeight, transform: `translate(${x}px, ${y}px)` }
}

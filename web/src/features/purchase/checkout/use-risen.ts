import { useState } from 'react'

import { type ShownPrice, watchPrice } from '../best-price/price-watch.ts'

interface Risen {
  /** What it cost before it rose, in lamports. */
  from: bigint
  /** When it rose last, by this browser's clock. */
  at: number
}

/** Whether the price of an amount has risen while it was shown; undefined if it has not. */
export function useRisen(amount: number, total: bigint | undefined): Risen | undefined {
  const [seen, setSeen] = useState<{ price: ShownPrice; at: number }>()
  if (total !== undefined) {
    const price = watchPrice(seen?.price, amount, total)
    if (seen?.price.total !== price.total || seen.price.amount !== price.amount) setSeen({ price, at: Date.now() })
  }
  const from = total === undefined ? undefined : seen?.price.risenFrom
  return seen && from !== undefined ? { from, at: seen.at } : undefined
}

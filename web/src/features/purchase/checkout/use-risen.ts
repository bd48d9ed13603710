import { useEffect, useState } from 'react'

import { type ShownPrice, watchPrice } from '../best-price/price-watch.ts'

/** A press this soon after the price has risen was meant for the price before, in milliseconds. */
const TOO_SOON_MS = 700

interface Risen {
  /** What it cost before it rose while it was shown, in lamports; undefined if it did not rise. */
  from: bigint | undefined
  /** It has only just risen. */
  isTooSoon: boolean
}

/** Watches whether the price of an amount rises while it is shown. */
export function useRisen(amount: number, total: bigint | undefined): Risen {
  const [shown, setShown] = useState<ShownPrice>()
  const [seen, setSeen] = useState(total)
  if (total !== undefined) {
    const next = watchPrice(shown, amount, total)
    if (shown?.total !== next.total || shown.amount !== next.amount) setShown(next)
  }
  useEffect(() => {
    const timer = setTimeout(() => setSeen(total), TOO_SOON_MS)
    return () => clearTimeout(timer)
  }, [total])
  const from = total === undefined ? undefined : shown?.risenFrom
  return { from, isTooSoon: from !== undefined && seen !== total }
}

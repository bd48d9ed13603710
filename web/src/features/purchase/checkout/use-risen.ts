import { useEffect, useRef, useState } from 'react'

import { type ShownPrice, watchPrice } from '../best-price/price-watch.ts'

/** A press this soon after the price has risen was meant for the price before, in milliseconds. */
const TOO_SOON_MS = 700

interface Risen {
  /** What it cost before it rose while it was shown, in lamports; undefined if it did not rise. */
  from: bigint | undefined
  /** Whether it has only just risen. */
  isTooSoon: () => boolean
}

/** Watches whether the price of an amount rises while it is shown. */
export function useRisen(amount: number, total: bigint | undefined): Risen {
  const [shown, setShown] = useState<ShownPrice>()
  const last = useRef({ total, risenAt: -Infinity })
  if (total !== undefined) {
    const next = watchPrice(shown, amount, total)
    if (shown?.total !== next.total || shown.amount !== next.amount) setShown(next)
  }
  const from = total === undefined ? undefined : shown?.risenFrom
  useEffect(() => {
    const before = last.current
    const hasRisen = total !== undefined && before.total !== undefined && total > before.total
    last.current = { total, risenAt: hasRisen ? performance.now() : before.risenAt }
  }, [total])
  return { from, isTooSoon: () => performance.now() - last.current.risenAt < TOO_SOON_MS }
}

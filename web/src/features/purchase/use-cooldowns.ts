import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { purchasesQuery } from '../../api/queries.ts'

/**
 * Until when a wallet may not buy a listing that it left unpaid, by listing and in milliseconds; a visitor has no cooldowns. The server
 * returns it with the wallet's purchases, so it also applies after a reload and in other browsers. Each entry disappears when it ends.
 */
export function useCooldowns(walletAddress: string | undefined): ReadonlyMap<string, number> {
  const { data } = useInfiniteQuery({ ...purchasesQuery('buyer'), ...(walletAddress === undefined && { enabled: false }) })
  const [now, setNow] = useState(() => Date.now())
  const purchases = walletAddress === undefined ? [] : (data?.pages.flatMap((page) => page.purchases) ?? [])
  const cooldowns = new Map(
    purchases.flatMap(({ items, cooldownUntil }) => {
      const until = Date.parse(cooldownUntil ?? '')
      const [item, more] = items
      // Of several items, the purchase does not say which one the cooldown is for.
      return until > now && item && !more ? [[item.partOf ?? item.listingId, until] as const] : []
    }),
  )
  const next = Math.min(...cooldowns.values())
  useEffect(() => {
    if (next === Infinity) return undefined
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, next - Date.now()))
    return () => clearTimeout(timer)
  }, [next])
  return cooldowns
}

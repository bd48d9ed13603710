import { useEffect } from 'react'

import { type Seller, useNewSales } from './use-new-sales.ts'

/** Announces new sales to the seller, and tells the header how many there are; renders nothing itself. Visitors do not download it. */
export function NewSales({ onCount, ...seller }: Seller & { onCount: (count: number) => void }) {
  const count = useNewSales(seller)
  useEffect(() => {
    onCount(count)
    return () => onCount(0)
  }, [count, onCount])
  return null
}

import { useEffect } from 'react'

import { type Seller, useNewSales } from './use-new-sales.ts'

/** Tells a seller of new sales, and the header how many there are; shows nothing by itself. Visitors do not download it. */
export function NewSales({ onCount, ...seller }: Seller & { onCount: (count: number) => void }) {
  const count = useNewSales(seller)
  useEffect(() => {
    onCount(count)
    return () => onCount(0)
  }, [count, onCount])
  return null
}

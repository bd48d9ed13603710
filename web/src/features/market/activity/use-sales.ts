import { type TokenType } from '@juicebar/contract/catalogue'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { eventListeners } from '../../../api/refresh-market.ts'
import { type SaleList, withLatest, withOlder } from './sale-list.ts'
import { followSales, latestSalesQuery, readSales } from './sales-query.ts'

/** The sales of one drink or of all: new ones appear automatically, older ones load page by page. */
export function useSales(tokenType: TokenType | undefined) {
  const { data: latest, isError, fetchStatus, dataUpdatedAt, refetch } = useQuery(latestSalesQuery(tokenType))
  const [list, setList] = useState<SaleList>()
  if (latest && list?.latest !== latest) setList(withLatest(list, latest))
  useEffect(() => {
    eventListeners.add(followSales)
    return () => void eventListeners.delete(followSales)
  }, [])
  const older = useMutation({
    mutationFn: (cursor: string) => readSales(tokenType, cursor),
    onSuccess: (page, cursor) => setList((current) => current && withOlder(current, cursor, page)),
  })
  const nextCursor = list?.nextCursor ?? null
  return {
    /** Undefined until they are loaded. */
    sales: list?.sales,
    /** The newest sales could not be loaded. */
    failed: isError,
    /** The browser is offline, so nothing is requested. */
    isOffline: fetchStatus === 'paused',
    /** When the newest were last loaded, in milliseconds; 0 if never. */
    loadedAt: dataUpdatedAt,
    retry: () => void refetch(),
    /** Loads older ones; undefined if there are none. */
    showOlder: nextCursor === null ? undefined : () => older.mutate(nextCursor),
    isLoadingOlder: older.isPending,
    olderFailed: older.isError,
  }
}

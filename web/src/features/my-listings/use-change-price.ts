import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'

/** Changes the price of one of the seller's listings, in SOL; the sentence of a failure is for beside the field. */
export function useChangePrice(id: string) {
  const { showToast } = useNotices()
  /** Of the last price that was tried: trying it again must not undo a later change. */
  const tried = useRef({ price: 0, key: '' })
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: (price: number) => {
      if (tried.current.price !== price) tried.current = { price, key: newIdempotencyKey() }
      return call('changePrice', { params: { id }, headers: { 'idempotency-key': tried.current.key }, body: { price } })
    },
    onSuccess: () => {
      tried.current = { price: 0, key: '' }
      showToast('Price changed.', 'good')
    },
    onSettled: refreshMarket,
  })
  return {
    change: mutate,
    reset,
    isPending,
    failure: error ? serverSentence(error, 'The price could not be changed. Please try again.') : undefined,
  }
}

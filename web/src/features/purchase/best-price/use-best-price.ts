import { MAX_AMOUNT } from '@juicebar/contract/limits'
import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { readAmount } from '../../../ui/amount/read-amount.ts'
import { useDebounced } from '../../../ui/amount/use-debounced.ts'
import { type ShownPrice, watchPrice } from './price-watch.ts'
import { quotedTotal, quoteQuery } from './quote.ts'

const FIRST_AMOUNT = '10'

/** An amount of a drink and its best price, which is requested again whenever the market moves. */
export function useBestPrice(tokenType: TokenType, walletAddress: string | undefined) {
  const [text, setText] = useState(FIRST_AMOUNT)
  const amount = readAmount(text, MAX_AMOUNT)
  const asked = useDebounced(amount)
  const { data: most } = useQuery(quoteQuery(tokenType, MAX_AMOUNT, walletAddress))
  const query = useQuery({
    ...quoteQuery(tokenType, asked ?? 1, walletAddress),
    enabled: asked !== undefined,
    placeholderData: (last, lastQuery) => (lastQuery?.queryKey[1] === tokenType ? last : undefined),
  })
  const [shown, setShown] = useState<ShownPrice>()
  const { data: quote } = query
  const isCurrent = quote !== undefined && asked !== undefined && asked === amount && !query.isPlaceholderData
  if (isCurrent) {
    const next = watchPrice(shown, asked, quotedTotal(quote))
    if (shown?.amount !== next.amount || shown.total !== next.total) setShown(next)
  }
  return {
    text,
    setText,
    amount,
    /** How many of the drink can be bought at once; undefined until known. */
    most: most?.amount,
    quote,
    /** True while `quote` is not yet for the amount that was typed. */
    isOld: !isCurrent,
    failed: query.isError && !query.isFetching,
    retry: () => void query.refetch(),
    risenFrom: isCurrent ? shown?.risenFrom : undefined,
    accept: () => setShown((current) => current && { amount: current.amount, total: current.total }),
  }
}

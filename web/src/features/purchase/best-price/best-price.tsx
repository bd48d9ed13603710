import { type TokenType } from '@juicebar/contract/catalogue'
import { MAX_AMOUNT } from '@juicebar/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { DrinkPlate } from '../../../catalogue/drink-image.tsx'
import { AmountField, readAmount } from '../../../ui/amount/amount-field.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount } from '../../../ui/format.ts'
import { formatLamports } from '../order/order-terms.ts'
import { usePurchase } from '../use-purchase.ts'
import { QuoteSummary } from './quote-summary.tsx'
import { FIRST_AMOUNT, type Quote, quotedOrder, quotedTotal, quoteQuery, type ShownPrice, watchPrice } from './quote.ts'

interface BestPriceProps {
  tokenType: TokenType
  walletAddress: string | undefined
  /** Nothing can be bought now. */
  paused: boolean
  /** Other actions for the drink. */
  action?: ReactNode
}

/** Buys any amount of a drink at the current best price: several sellers, parts of listings, one approval. */
export function BestPrice({ tokenType, walletAddress, paused, action }: BestPriceProps) {
  const price = useBestPrice(tokenType, walletAddress)
  const { quote, amount, most, isOld, risenFrom } = price
  const drink = catalogue().nameOf(tokenType)
  const max = most || MAX_AMOUNT
  return (
    <section
      aria-labelledby="best-price-title"
      className="card best-price needs-script drop-in grid overflow-hidden"
      data-token={tokenType}
    >
      <DrinkPlate tokenType={tokenType} className="max-md:hidden" />
      <div className="grid content-start gap-4 p-4 max-sm:gap-2 sm:p-6">
        <div className="flex items-start justify-between gap-x-4 gap-y-2 sm:flex-wrap">
          <h3 id="best-price-title" className="text-lead max-sm:text-body">
            {drink} at the best price
          </h3>
          {action}
        </div>
        {most !== 0 && (
          <AmountField
            label="How many"
            value={price.text}
            amount={amount}
            max={max}
            {...(most && { hint: `up to ${formatAmount(most)} at once` })}
            problem={amount === undefined || amount > max ? `A whole number from 1 to ${formatAmount(max)}` : undefined}
            onChange={price.setText}
          />
        )}
      </div>
      <div className="grid content-start gap-4 bg-well p-4 max-sm:gap-2 sm:p-6">
        {price.failed && !quote ? (
          <div role="status" className="grid justify-items-start gap-3 text-small">
            The best price could not be loaded.
            <Button onClick={price.retry}>Try again</Button>
          </div>
        ) : (
          <>
            <QuoteSummary quote={quote} isOld={isOld} most={most} nobody={walletAddress ? 'Nobody else' : 'Nobody'} drink={drink} />
            <p role="status" className="text-small font-semibold text-warn empty:hidden">
              {quote && risenFrom !== undefined && `It was ${formatLamports(risenFrom)} SOL a moment ago.`}
            </p>
            <Take quote={quote} isOld={isOld} risen={risenFrom !== undefined} paused={paused} onAccept={price.accept} />
          </>
        )}
      </div>
    </section>
  )
}

interface TakeProps {
  quote: Quote | undefined
  isOld: boolean
  risen: boolean
  paused: boolean
  onAccept: () => void
}

/** The only button. A price that rose while it was shown must be accepted first. */
function Take({ quote, isOld, risen, paused, onAccept }: TakeProps) {
  const { place } = usePurchase()
  if (quote?.items.length === 0) return null
  const total = quote && formatLamports(quotedTotal(quote))
  const disabled = paused || isOld || quote === undefined
  const className = 'h-auto py-2.5 whitespace-normal'
  // Both are one button to React, so that the focus stays.
  return (
    <Button
      kind={risen ? 'quiet' : 'primary'}
      className={className}
      disabled={disabled}
      onClick={() => (risen ? onAccept() : quote && place(quotedOrder(quote)))}
    >
      {paused ? 'Paused' : risen ? `Accept ${total} SOL` : quote ? `Buy ${formatAmount(quote.amount)} for ${total} SOL` : 'Buy'}
    </Button>
  )
}

/** An amount of a drink and its best price, which is requested again whenever the market moves. */
function useBestPrice(tokenType: TokenType, walletAddress: string | undefined) {
  const [typed, setText] = useState<string>()
  const { data: most } = useQuery(quoteQuery(tokenType, MAX_AMOUNT, walletAddress))
  const text = typed ?? String(Math.min(FIRST_AMOUNT, most?.amount || FIRST_AMOUNT))
  const amount = readAmount(text, MAX_AMOUNT)
  const asked = useDebounced(amount)
  const query = useQuery({
    ...quoteQuery(tokenType, asked ?? 1, walletAddress),
    enabled: asked !== undefined,
    placeholderData: (last, lastQuery) => (lastQuery?.queryKey[1] === tokenType ? last : undefined),
  })
  const [shown, setShown] = useState<ShownPrice>()
  const isOwnRise = useOwnRise(tokenType, query.isFetching)
  const { data: quote } = query
  const isCurrent = quote !== undefined && asked !== undefined && asked === amount && !query.isPlaceholderData
  if (isCurrent) {
    const next = watchPrice(isOwnRise ? undefined : shown, asked, quotedTotal(quote))
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

/** Whether a price rises only because of what this player buys of the drink: until it has been read again after the purchase. */
function useOwnRise(tokenType: TokenType, isReading: boolean): boolean {
  const { running } = usePurchase()
  const [isOwn, setIsOwn] = useState(false)
  const buys = running?.order.items.some((item) => item.tokenType === tokenType) ?? false
  const isOwnNow = buys || (isOwn && isReading)
  if (isOwnNow !== isOwn) setIsOwn(isOwnNow)
  return isOwn
}

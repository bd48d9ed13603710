import { useQuery } from '@tanstack/react-query'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { useSession } from '../../../session/session-store.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount } from '../../../ui/format.ts'
import { formatLamports } from '../order/order-text.ts'
import { type Order } from '../order/order.ts'
import { overtakenText } from '../order/overtaken.ts'
import { usePurchase } from '../use-purchase.ts'
import { type Quote, quotedOrder, quotedTotal, quoteQuery } from './quote.ts'
import { QuoteSummary } from './quote-summary.tsx'

/** Says that somebody else was faster with a listing, and offers the cheapest drinks of the same kind instead. */
export function NextBest({ order }: { order: Order }) {
  const { dismiss, place } = usePurchase()
  const walletAddress = useSession(({ user }) => user?.walletAddress)
  const [wanted] = order.items
  const { tokenType = '', amount = 1 } = wanted ?? {}
  const { data: quote, isError } = useQuery({ ...quoteQuery(tokenType, amount, walletAddress), refetchOnMount: 'always' })
  const found = quote && quote.items.length > 0 ? quote : undefined
  const drink = catalogue().nameOf(tokenType)
  return (
    <>
      <p role="alert" className="mt-4 font-semibold">
        {overtakenText}
      </p>
      <div className="mt-5 grid gap-3 rounded-field bg-well p-4">
        {found && (
          <p className="text-small font-semibold">
            The next best: {formatAmount(found.amount)} {drink}
          </p>
        )}
        {quote && !found && <p className="text-small">No other {drink} is for sale in this amount right now.</p>}
        {isError && !quote && <p className="text-small">The best price could not be loaded.</p>}
        {(found || !(quote || isError)) && (
          <QuoteSummary quote={found} isOld={found === undefined} most={found?.amount} nobody="Nobody else" drink={drink} />
        )}
      </div>
      <div className="mt-6 grid gap-3 sm:grid-cols-2">
        <Button onClick={dismiss}>Cancel</Button>
        {!isError && (
          <Button
            kind="primary"
            className="h-auto py-2.5 whitespace-normal"
            disabled={!found}
            onClick={() => found && place(quotedOrder(found))}
          >
            {found ? buyText(found) : 'Buy'}
          </Button>
        )}
      </div>
    </>
  )
}

function buyText(quote: Quote): string {
  return `Buy ${formatAmount(quote.amount)} for ${formatLamports(quotedTotal(quote))} SOL`
}

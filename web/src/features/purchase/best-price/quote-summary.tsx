import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { useSession } from '../../../session/session-store.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount, formatRate, formatUnitPrice } from '../../../ui/format.ts'
import { overtakenText } from '../order/offer.ts'
import { formatLamports } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'
import { usePurchase } from '../use-purchase.ts'
import { type Quote, quotedOrder, quotedTotal, quoteQuery, sellersOf } from './quote.ts'

interface QuoteSummaryProps {
  quote: Quote | undefined
  /** It is the price of an amount other than the one wanted. */
  isOld: boolean
  /** How many can be had at all; undefined until it is known. */
  most: number | undefined
  /** What it is called. */
  drink: string
  /** Who has none for sale if the drink is not for sale. */
  nobody: 'Nobody' | 'Nobody else'
}

/** What an amount costs: in total, for each, for the most expensive one, and from how many sellers. Screen readers get it as a sentence. */
export function QuoteSummary({ quote, isOld, most, drink, nobody }: QuoteSummaryProps) {
  return (
    <div className={`grid gap-3 transition-colors ${isOld ? 'text-dim' : ''}`} aria-busy={isOld}>
      <p role="status" className="sr-only">
        {quote && !isOld && sentenceOf(quote, drink)}
      </p>
      {quote ? <Figures quote={quote} /> : <FiguresToCome />}
      {quote && !quote.complete && !isOld && (
        <p role="status" className="text-small font-semibold text-warn">
          {shortage(quote, { most, drink, nobody })}
        </p>
      )}
    </div>
  )
}

function Figures({ quote }: { quote: Quote }) {
  const { items, averageUnitPrice, highestUnitPrice, fee } = quote
  if (items.length === 0) return null
  const sellers = sellersOf(quote)
  return (
    <>
      <p className="figures text-figure font-bold tracking-tight wrap-anywhere">
        {formatLamports(quotedTotal(quote))} <span className="text-small font-semibold tracking-normal text-dim">SOL</span>
      </p>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-small">
        <Fact label="Average unit price">{formatUnitPrice(averageUnitPrice ?? 0)} SOL</Fact>
        {items.length > 1 && <Fact label="Highest unit price">{formatUnitPrice(highestUnitPrice ?? 0)} SOL</Fact>}
        <Fact label="From">{sellers === 1 ? '1 seller' : `${sellers} sellers`}</Fact>
        {fee.basisPoints > 0 && (
          <>
            <Fact label="Price">{formatLamports(BigInt(quote.lamports))} SOL</Fact>
            <Fact label={`Studio fee (${formatRate(fee.basisPoints)})`}>{formatLamports(BigInt(fee.lamports))} SOL</Fact>
          </>
        )}
      </dl>
    </>
  )
}

/** As high as those of one seller, so that nothing moves when they come. */
function FiguresToCome() {
  return (
    <>
      <p className="breathe text-figure font-bold text-dim">…</p>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-small">
        <Fact label="Average unit price">…</Fact>
        <Fact label="From">…</Fact>
      </dl>
    </>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-dim">{label}</dt>
      <dd className="figures text-right font-semibold wrap-anywhere">{children}</dd>
    </>
  )
}

function sentenceOf(quote: Quote, drink: string): string {
  const sellers = sellersOf(quote)
  if (sellers === 0) return ''
  return `${formatAmount(quote.amount)} ${drink} from ${sellers} ${sellers === 1 ? 'seller' : 'sellers'} for ${formatLamports(quotedTotal(quote))} SOL`
}

/** Why there is no price for the whole amount. */
function shortage({ items, amount }: Quote, { most, drink, nobody }: Pick<QuoteSummaryProps, 'most' | 'drink' | 'nobody'>): string {
  if (items.length > 0) return `Only ${formatAmount(amount)} can be bought in one purchase right now.`
  return most === 0
    ? `${nobody} sells ${drink} right now. When somebody does, the price appears here.`
    : `${drink} is only for sale in larger listings right now. Try more, or take a listing below.`
}

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

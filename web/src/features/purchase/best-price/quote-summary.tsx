import { type ReactNode } from 'react'

import { formatAmount, formatRate, formatUnitPrice } from '../../../ui/format.ts'
import { formatLamports } from '../order/order-text.ts'
import { type Quote, quotedTotal, sellersOf } from './quote.ts'

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
      {quote ? <Figures quote={quote} /> : <p className="breathe text-figure font-bold text-dim">…</p>}
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

import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'

import { catalogue } from '../../catalogue/catalogue.ts'
import { type SummaryItem, summaryQuery } from '../../figures/figure-queries.ts'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { estimate } from './estimate.ts'

/** More names than these are too many for a sentence. */
const NAMED = 5

const names = new Intl.ListFormat('en-GB')

/** The value of all the player's drinks at the floor price, labelled as an estimate. */
export function EstimatedWorth({ owned }: { owned: Parameters<typeof estimate>[0] }) {
  const { data, isError } = useQuery(summaryQuery)
  return (
    <p className="min-h-5.5 text-small text-dim">
      {data ? <Words owned={owned} summary={data} /> : isError && 'Their worth could not be loaded.'}
    </p>
  )
}

function Words({ owned, summary }: { owned: Parameters<typeof estimate>[0]; summary: readonly SummaryItem[] }) {
  const { total, unpriced } = estimate(owned, summary)
  if (total === undefined) return 'None of them is for sale right now, so there is no price to go by.'
  const left = unpriced.length > 0 && ` Without ${unpricedText(unpriced)}: none is for sale.`
  return (
    <>
      Worth about <span className="figures font-semibold text-text">{formatUnitPrice(total)} SOL</span>, an estimate at what the cheapest
      cost now.{left}
    </>
  )
}

function unpricedText(unpriced: readonly TokenType[]): string {
  return unpriced.length <= NAMED
    ? names.format(unpriced.map((code) => catalogue().nameOf(code)))
    : `${formatAmount(unpriced.length)} others`
}

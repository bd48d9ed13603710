import { type PublicConfig } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'

import { configQuery } from '../../api/queries.ts'
import { type Drink } from '../../figures/drinks.ts'
import { type Trade, tradesQuery } from '../../figures/figure-queries.ts'
import { isHeard } from '../../figures/show-trade.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol, formatUnitPrice, shortSignature } from '../../ui/format.ts'
import { LocalTime } from '../../ui/local-time.tsx'
import { explorerLink } from '../history/explorer-link.ts'
import { Waiting } from './waiting.tsx'

/** The latest trades of a drink, each with its payment, which anyone can look up. */
export function TradesCard({ drink }: { drink: Drink }) {
  const { data: config } = useQuery(configQuery)
  const { data, isError, fetchStatus, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(tradesQuery(drink.type))
  const trades = data?.pages.flatMap((page) => page.trades)
  return (
    <section aria-labelledby="trades-title" className="card grid content-start gap-3 p-4 sm:p-6">
      <h3 id="trades-title" className="text-lead">
        Last trades
      </h3>
      {!trades && <Waiting what="The trades" failed={isError} paused={fetchStatus === 'paused'} onRetry={() => void refetch()} />}
      {trades?.length === 0 && <p className="py-6 text-center text-dim">No trades yet.</p>}
      {trades && trades.length > 0 && (
        <ul className="grid divide-y divide-line">
          {trades.map((trade) => (
            <TradeRow key={trade.id} trade={trade} network={config?.network} />
          ))}
        </ul>
      )}
      {trades && isError && (
        <p role="status" className="text-small text-warn">
          The trades could not be updated. Trying again.
        </p>
      )}
      {hasNextPage && (
        <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  )
}

function TradeRow({ trade, network }: { trade: Trade; network: PublicConfig['network'] | undefined }) {
  return (
    <li className={`figures grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 py-2.5 text-small ${isHeard(trade) ? 'arrive' : ''}`}>
      <p className="font-semibold">
        {formatAmount(trade.amount)} <span className="font-normal text-dim">at</span> {formatUnitPrice(trade.unitPrice)}
      </p>
      <p className="text-right font-bold">{formatSol(trade.price)} SOL</p>
      <p className="col-span-full flex flex-wrap justify-between gap-x-3 text-tiny text-dim">
        <LocalTime at={trade.settledAt} />
        {!isHeard(trade) && <Signature signature={trade.signature} network={network} />}
      </p>
    </li>
  )
}

function Signature({ signature, network }: { signature: string; network: PublicConfig['network'] | undefined }) {
  const href = network && explorerLink(network, signature)
  const face = shortSignature(signature)
  if (!href) return <span title={signature}>{face}</span>
  return (
    <a href={href} target="_blank" rel="noreferrer" title={signature} className="underline hover:text-text">
      {face}
    </a>
  )
}

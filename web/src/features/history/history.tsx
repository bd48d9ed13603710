import { messages } from '@juicebar/contract/messages'
import { type EndReason, type PublicConfig, type Purchase } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lamportsToSol } from '@juicebar/contract/money'

import { call } from '../../api/client.ts'
import { configQuery, type PurchaseRole, purchasesQuery } from '../../api/queries.ts'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol, formatTime, shortSeller } from '../../ui/format.ts'
import { ChevronIcon } from '../../ui/icons.tsx'
import { Loading } from '../../ui/loading.tsx'
import { drinksIn, type Receipt, receiptOf, saveCsv, toCsv } from './csv.ts'
import { ProfitView } from './profit/profit-view.tsx'
import { SignatureLink } from './signature-link.tsx'

type Part = PurchaseRole | 'profit'

const partLabels: Record<Part, string> = { buyer: 'Purchases', seller: 'Sales', profit: 'Profit' }
const parts: readonly Part[] = ['buyer', 'seller', 'profit']

/** What the wallet bought and sold, and its profit. */
export function History({ walletAddress }: { walletAddress: string }) {
  const [part, setPart] = useState<Part>('buyer')
  return (
    <section aria-labelledby="history-title" className="grid gap-5">
      <div className={`grid grid-cols-[1fr_auto] items-center gap-3 ${part === 'profit' ? '' : 'sm:grid-cols-[1fr_auto_auto]'}`}>
        <h2 id="history-title" className="text-title">
          History
        </h2>
        <PartFilter chosen={part} onChoose={setPart} />
        {part !== 'profit' && <DownloadTrades role={part} walletAddress={walletAddress} />}
      </div>
      {part === 'profit' ? <ProfitView /> : <Trades key={part} role={part} walletAddress={walletAddress} />}
    </section>
  )
}

/** What the wallet bought, or what it sold, newest first. */
function Trades({ role, walletAddress }: { role: PurchaseRole; walletAddress: string }) {
  const { data, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(purchasesQuery(role))
  const purchases = data?.pages.flatMap((page) => page.purchases)
  return (
    <>
      {!purchases && <Loading failed={isError} what="Your history" onRetry={() => void refetch()} />}
      {purchases && <Rows purchases={purchases} soldBy={role === 'seller' ? walletAddress : undefined} />}
      {hasNextPage && (
        <Button className="justify-self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  )
}

function DownloadTrades({ role, walletAddress }: { role: PurchaseRole; walletAddress: string }) {
  const { data } = useInfiniteQuery(purchasesQuery(role))
  const { mutate: downloadCsv } = useDownloadCsv(walletAddress)
  return (
    <Button
      className="max-sm:col-start-2 max-sm:row-start-1"
      disabled={!data?.pages[0]?.purchases.length}
      onClick={() => downloadCsv(role)}
    >
      Download CSV
    </Button>
  )
}

function Rows({ purchases, soldBy }: { purchases: readonly Purchase[]; soldBy: string | undefined }) {
  const { data: config } = useQuery(configQuery)
  if (!purchases.length)
    return <p className="card p-6 text-center text-dim">{soldBy === undefined ? 'No purchases yet.' : 'No sales yet.'}</p>
  return (
    <ul className="card grid divide-y divide-line sm:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1.6fr)_auto]">
      {purchases.map((purchase) => (
        <HistoryRow key={purchase.purchaseId} purchase={purchase} soldBy={soldBy} network={config?.network} />
      ))}
    </ul>
  )
}

function PartFilter({ chosen, onChoose }: { chosen: Part; onChoose: (part: Part) => void }) {
  return (
    <fieldset className="max-sm:col-span-full">
      <legend className="sr-only">Show</legend>
      <div className="flex gap-2">
        {parts.map((part) => (
          <label key={part} className="chip">
            <input type="radio" name="role" className="sr-only" checked={chosen === part} onChange={() => onChoose(part)} />
            {partLabels[part]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** A file has at most this many purchases, newest first. */
const MAX_PURCHASES = 10_000
const PAGE_SIZE = 200

/** Saves everything that a wallet bought or sold as a CSV file; a failure goes to the banner. */
function useDownloadCsv(walletAddress: string) {
  return useMutation({
    meta: { processing: 'Collecting your history' },
    onMutate: dismissBanner,
    mutationFn: loadAll,
    onSuccess: (purchases, role) => {
      const file = toCsv(purchases, role === 'seller' ? walletAddress : undefined)
      saveCsv(`juicebar-${role === 'buyer' ? 'purchases' : 'sales'}.csv`, [file])
      if (purchases.length >= MAX_PURCHASES) showToast(`The file holds the newest ${formatAmount(MAX_PURCHASES)} purchases.`)
    },
    onError: () => showBanner(messages.loadFailed),
  })
}

async function loadAll(role: PurchaseRole): Promise<Purchase[]> {
  const purchases: Purchase[] = []
  let cursor: string | null = ''
  while (cursor !== null && purchases.length < MAX_PURCHASES) {
    const query: { role: PurchaseRole; limit: number; cursor: string } = { role, limit: PAGE_SIZE, cursor }
    const page = await call('myPurchases', { query })
    purchases.push(...page.purchases)
    cursor = page.nextCursor
  }
  return purchases
}

interface HistoryRowProps {
  purchase: Purchase
  /** The seller who is viewing it; undefined for the buyer. */
  soldBy: string | undefined
  network: PublicConfig['network'] | undefined
}

/** One purchase, or what one seller sold with it. */
export function HistoryRow({ purchase, soldBy, network }: HistoryRowProps) {
  const { createdAt, signature } = purchase
  const receipt = receiptOf(purchase, soldBy)
  const drinks = drinksIn(receipt)
  return (
    <li
      className="figures grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 px-4 py-3 text-small sm:col-span-full sm:grid-cols-subgrid sm:items-center sm:px-5"
      data-token={drinks.tokenType}
    >
      <p className="flex items-center gap-2.5 font-semibold">
        <span className="dot" />
        {formatAmount(drinks.amount)} {drinks.name}
      </p>
      <div className="text-dim max-sm:order-1 max-sm:col-span-full max-sm:text-tiny sm:contents">
        <p className="max-sm:inline">
          {soldBy === undefined ? <Sellers receipt={receipt} /> : <span title={purchase.buyer}>to {shortSeller(purchase.buyer)}</span>}
          <span className="sm:hidden"> · </span>
        </p>
        <div className="max-sm:inline">
          <p className="max-sm:inline">{outcome(purchase)}</p>
          <p className="text-tiny">
            {formatTime(createdAt)}
            {signature && ' · '}
            {signature && <SignatureLink signature={signature} network={network} />}
          </p>
        </div>
      </div>
      <Total receipt={receipt} />
      {receipt.items.length > 1 && <ReceiptItems receipt={receipt} showsSellers={soldBy === undefined} />}
    </li>
  )
}

function Sellers({ receipt: { items } }: { receipt: Receipt }) {
  const [seller = '', ...others] = new Set(items.map((item) => item.seller))
  if (others.length) return <>from {others.length + 1} sellers</>
  return <span title={seller}>from {shortSeller(seller)}</span>
}

/** The total, and how much of it was the fee, if any. */
function Total({ receipt: { lamports, fee } }: { receipt: Receipt }) {
  return (
    <p className="text-right font-bold">
      {formatSol(lamportsToSol(lamports + fee))} SOL
      {fee > 0n && <span className="block text-tiny font-normal text-dim">incl. {formatSol(lamportsToSol(fee))} SOL fee</span>}
    </p>
  )
}

/** Longer lists start collapsed. */
const MOST_OPEN = 3

/** The items of a purchase, one below the other, so that they and the fee add up to its total. */
function ReceiptItems({ receipt: { items, fee }, showsSellers }: { receipt: Receipt; showsSellers: boolean }) {
  return (
    <details open={items.length <= MOST_OPEN} className="group text-tiny max-sm:order-2 max-sm:mt-1 sm:mt-0.5 col-span-full">
      <summary className="inline-flex min-h-6 cursor-pointer list-none items-center gap-1 rounded-tag font-semibold text-dim hover:text-text">
        <span className="-ml-1 -rotate-90 transition-transform group-open:rotate-0">
          <ChevronIcon />
        </span>
        {items.length} listings
      </summary>
      <ul className="mt-1 grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)_auto] rounded-field bg-well px-3 py-2">
        {items.map(({ listingId, tokenType, tokenName, amount, seller, price }) => (
          <li key={listingId} className="col-span-full grid grid-cols-subgrid" data-token={tokenType}>
            <span className="flex items-center gap-2">
              <span className="dot size-2" />
              {formatAmount(amount)} {tokenName}
            </span>
            {showsSellers && (
              <span className="text-dim max-sm:row-start-2 max-sm:pl-4" title={seller}>
                from {shortSeller(seller)}
              </span>
            )}
            <span className="text-right whitespace-nowrap sm:col-start-3">{formatSol(price)} SOL</span>
          </li>
        ))}
        {fee > 0n && (
          <li className="col-span-full grid grid-cols-subgrid">
            <span className="text-dim sm:col-span-2">Studio’s fee</span>
            <span className="text-right whitespace-nowrap">{formatSol(lamportsToSol(fee))} SOL</span>
          </li>
        )}
      </ul>
    </details>
  )
}

const endLabels: Record<EndReason, string> = {
  cancelled: 'Cancelled, nothing paid',
  lapsed: 'Time ran out, nothing paid',
  expired: 'Payment never landed, nothing paid',
  failed: 'Payment failed, nothing paid',
  chain_gone: 'Ended with the earlier local chain',
  released: 'Released by the studio',
}

/** The outcome of a purchase, or what it is waiting for. */
export function outcome({ status, endReason, coSigned, waitsForStudio, releaseReason, earlierChain, finalized }: Purchase): string {
  const chain = earlierChain ? ', on an earlier local chain' : ''
  if (status === 'settled') return `Delivered${finalized ? '' : ', not final yet'}${chain}`
  if (status === 'held' && waitsForStudio) return 'Waiting for the studio'
  if (status === 'held') return coSigned ? 'Payment under way' : 'Waiting for the payment'
  if (endReason === 'released') return `${endLabels.released}: ${releaseReason ?? ''}${chain}`
  return (endReason ? endLabels[endReason] : 'Ended without delivery') + chain
}

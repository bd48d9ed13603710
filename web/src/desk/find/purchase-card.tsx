import { type EndReason, type StudioPurchase, type TimelineEntry } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { configQuery } from '../../api/queries.ts'
import { inMarketWords } from '../../catalogue/catalogue.ts'
import { explorerLink } from '../../features/history/signature-link.tsx'
import { formatAmount, formatRate } from '../../ui/format.ts'
import { callSigned, useMay } from '../desk-queries.ts'
import { Act } from '../parts/act.tsx'
import { Copyable, DrinkName, FindLink, Moment, WalletLink } from '../parts/names.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { exactSol } from '../parts/shown.tsx'

/** Everything about one purchase: its state, its timeline, its items, its fee. */
export function PurchaseCard({ purchase }: { purchase: StudioPurchase }) {
  const { purchaseId, buyer, lamports, fee, waitingFor, timeline, items, releaseReason, waitsForStudio } = purchase
  const { word, tone } = standing(purchase)
  const total = BigInt(lamports) + BigInt(fee.lamports)
  return (
    <Part
      title={`${whatWasBought(purchase)} for ${exactSol(BigInt(lamports))} SOL`}
      about={<Status tone={tone}>{word}</Status>}
      actions={waitsForStudio && <Release purchaseId={purchaseId} />}
    >
      {waitingFor && (
        <p className="rounded-field bg-warn/12 px-4 py-3 text-small">
          <b className="font-semibold">Waiting.</b> {waitingFor}
        </p>
      )}
      {releaseReason && <p className="rounded-field bg-well px-4 py-3 text-small">Released by the studio: {releaseReason}</p>}
      <Timeline entries={timeline} />
      <Facts>
        <Fact name="Buyer">
          <WalletLink address={buyer} />
        </Fact>
        <Fact name="Fee">
          {exactSol(BigInt(fee.lamports))} SOL, {formatRate(fee.basisPoints)}
        </Fact>
        <Fact name="Total for the buyer">{exactSol(total)} SOL</Fact>
      </Facts>
      <Table caption="Items" columns={itemColumns} rows={items} keyOf={({ listingId }) => listingId} />
      <Names purchase={purchase} />
    </Part>
  )
}

function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol aria-label="What happened" className="timeline">
      {entries.map(({ at, event, detail }, index) => (
        <li key={index} className="text-small">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <b className="font-semibold">{eventWords[event]}</b>
            <span className="text-tiny text-dim">
              <Moment at={at} />
            </span>
          </p>
          <p className="text-dim wrap-anywhere">{detail}</p>
        </li>
      ))}
    </ol>
  )
}

type Item = StudioPurchase['items'][number]

const itemColumns: readonly Column<Item>[] = [
  { name: 'Drink', cell: ({ tokenType, tokenName }) => <DrinkName type={tokenType} name={tokenName} /> },
  { name: 'Amount', figures: true, cell: ({ amount }) => formatAmount(amount) },
  { name: 'SOL', figures: true, cell: ({ lamports }) => exactSol(BigInt(lamports)) },
  { name: 'Seller', cell: ({ seller }) => <WalletLink address={seller} /> },
  { name: 'Listing', cell: ({ partOf }) => (partOf ? 'a part' : 'whole') },
]

/** Its identifiers. */
function Names({ purchase: { purchaseId, signature, reference } }: { purchase: StudioPurchase }) {
  const { data: config } = useQuery(configQuery)
  const link = config && signature ? explorerLink(config.network, signature) : undefined
  return (
    <dl className="grid gap-2 text-small sm:grid-cols-[auto_1fr] sm:items-center sm:gap-x-6">
      <dt className="text-dim">Purchase</dt>
      <dd>
        <Copyable label="the purchase’s id" text={purchaseId} />
      </dd>
      <dt className="text-dim">
        {link ? (
          <a className="link" href={link} target="_blank" rel="noreferrer">
            Transaction
          </a>
        ) : (
          'Transaction'
        )}
      </dt>
      <dd>{signature ? <Copyable label="the transaction’s signature" text={signature} /> : 'none is known'}</dd>
      <dt className="text-dim">Reference</dt>
      <dd>
        <Copyable label="the reference" text={reference} />
      </dd>
    </dl>
  )
}

const columns: readonly Column<StudioPurchase>[] = [
  { name: 'Purchase', cell: ({ purchaseId }) => <FindLink id={purchaseId} /> },
  { name: 'State', cell: (purchase) => <Standing purchase={purchase} /> },
  { name: 'Drinks', cell: whatWasBought },
  { name: 'SOL', figures: true, cell: ({ lamports }) => exactSol(BigInt(lamports)) },
  { name: 'Buyer', cell: ({ buyer }) => <WalletLink address={buyer} /> },
  { name: 'Seller', cell: (purchase) => <Sellers purchase={purchase} /> },
  { name: 'Held', cell: ({ createdAt }) => <Moment at={createdAt} /> },
]

const waiting: Column<StudioPurchase> = {
  name: 'Waits for',
  cell: ({ waitingFor }) => <span className="inline-block min-w-40">{waitingFor ?? 'nothing'}</span>,
}

interface PurchaseRowsProps {
  purchases: readonly StudioPurchase[]
  /** Shows what each one is waiting for. */
  showWaiting?: boolean
}

/** Purchases, a line each. */
export function PurchaseRows({ purchases, showWaiting = false }: PurchaseRowsProps) {
  const shown = showWaiting ? [...columns.slice(0, 2), waiting, ...columns.slice(2)] : columns
  return <Table caption="Purchases" columns={shown} rows={purchases} keyOf={({ purchaseId }) => purchaseId} />
}

function Standing({ purchase }: { purchase: StudioPurchase }) {
  const { word, tone } = standing(purchase)
  return <Status tone={tone}>{word}</Status>
}

function Sellers({ purchase: { items, seller } }: { purchase: StudioPurchase }) {
  const sellers = new Set(items.map((item) => item.seller))
  return sellers.size > 1 ? `${sellers.size} sellers` : <WalletLink address={seller} />
}

/** Ends a hold that cannot be proved unpaid. */
function Release({ purchaseId }: { purchaseId: string }) {
  const may = useMay('cases')
  if (!may) return null
  return (
    <Act
      label="Release"
      kind="primary"
      title="Release this hold"
      consequence={
        <>
          The listings are for sale again, and this buyer’s hold is over. It is refused as long as a payment may still land. A payment that
          turns up later is still delivered if the listings are free, and else becomes a case.
        </>
      }
      reason={{ label: 'Reason', hint: 'Shown to buyer and seller, and in the log.' }}
      doIt="Release"
      done="The hold is released."
      signed
      act={(reason) => callSigned('releasePurchase', { params: { id: purchaseId }, body: { reason } })}
    />
  )
}

type Stands = Pick<StudioPurchase, 'status' | 'endReason' | 'waitsForStudio'>

export const endWords: Record<EndReason, string> = {
  cancelled: 'Cancelled',
  lapsed: 'Not paid',
  expired: 'Payment expired',
  failed: 'Payment failed',
  chain_gone: 'Earlier chain',
  released: 'Released',
}

/** The state of a purchase, in a few words. */
function standing({ status, endReason, waitsForStudio }: Stands): { word: string; tone: 'good' | 'warn' | 'plain' } {
  if (status === 'settled') return { word: 'Delivered', tone: 'good' }
  if (status === 'ended') return { word: endReason ? endWords[endReason] : 'Ended', tone: 'plain' }
  return waitsForStudio ? { word: 'Waits for you', tone: 'warn' } : { word: 'Held', tone: 'warn' }
}

/** What was bought: "5 Apple Juice", or "12 drinks" of several kinds. */
function whatWasBought({ items, amount, tokenName }: Pick<StudioPurchase, 'items' | 'amount' | 'tokenName'>): string {
  const kinds = new Set(items.map(({ tokenType }) => tokenType))
  return kinds.size > 1 ? `${formatAmount(amount)} ${inMarketWords('drinks')}` : `${formatAmount(amount)} ${tokenName}`
}

const eventWords: Record<TimelineEntry['event'], string> = {
  held: 'Held',
  submitted: 'Payment submitted',
  sent: 'Payment sent',
  confirmed: 'Payment confirmed',
  delivered: 'Delivered',
  finalized: 'Final',
  cancelled: 'Cancelled',
  expired: 'Expired',
  'case.opened': 'Case opened',
  'case.closed': 'Case closed',
}

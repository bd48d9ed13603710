import { type StudioPurchase, type TimelineEntry } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { configQuery } from '../../api/queries.ts'
import { explorerLink } from '../../features/history/explorer-link.ts'
import { formatAmount, formatRate } from '../../ui/format.ts'
import { Copyable, DrinkName, Moment, WalletLink } from '../parts/names.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { exactSol } from '../parts/sol.ts'
import { eventWords, standing, whatWasBought } from './purchase-words.ts'
import { Release } from './release.tsx'

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

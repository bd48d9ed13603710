import { type StudioPurchase } from '@juicebar/contract/schemas'

import { FindLink, Moment, WalletLink } from '../parts/names.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Status } from '../parts/section.tsx'
import { exactSol } from '../parts/sol.ts'
import { standing, whatWasBought } from './purchase-words.ts'

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

import { type Block } from '@juicebar/contract/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'

import { blocksQuery } from '../api/desk-queries.ts'
import { useMay } from '../api/use-may.ts'
import { Moment, WalletLink, Who } from '../parts/names.tsx'
import { Pages } from '../parts/pages.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Part } from '../parts/section.tsx'
import { Unblock } from '../parts/unblock.tsx'

const columns: readonly Column<Block>[] = [
  { name: 'Player', cell: ({ walletAddress }) => <WalletLink address={walletAddress} /> },
  { name: 'Reason', cell: ({ reason }) => <span className="block min-w-40 wrap-anywhere">{reason}</span> },
  { name: 'Since', cell: ({ since }) => <Moment at={since} /> },
  { name: 'By', cell: ({ actor }) => <Who name={actor} /> },
  { name: 'Until', cell: ({ until }) => (until ? <Moment at={until} /> : <span className="whitespace-nowrap">somebody ends it</span>) },
]

const end: Column<Block> = {
  name: 'Unblock',
  figures: true,
  cell: ({ walletAddress }) => <Unblock walletAddress={walletAddress} />,
}

/** Everyone who is blocked from listing and buying. */
export function BlocksPart() {
  const query = useInfiniteQuery(blocksQuery)
  const may = useMay('rules')
  return (
    <Part title="Blocked players" about="They can neither list nor buy. To block somebody, find them first.">
      <Pages query={query} what="Who is blocked" nothing="Nobody is blocked.">
        {(blocks) => (
          <Table
            caption="Blocked players"
            columns={may ? [...columns, end] : columns}
            rows={blocks}
            keyOf={({ walletAddress }) => walletAddress}
          />
        )}
      </Pages>
    </Part>
  )
}

import { balanceKey } from '@juicebar/contract/catalogue'
import { type Player } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'

import { catalogue, MOST_SIDE_BY_SIDE } from '../../catalogue/catalogue.ts'
import { formatAmount } from '../../ui/format.ts'
import { casesQuery, playerQuery, purchasesQuery } from '../api/desk-queries.ts'
import { useMay } from '../api/use-may.ts'
import { CaseList } from '../cases/case-list.tsx'
import { Copyable, DrinkName, Moment } from '../parts/names.tsx'
import { Pages } from '../parts/pages.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { Shown } from '../parts/shown.tsx'
import { BlockActions } from './block-actions.tsx'
import { MoveDrinks } from './move-drinks.tsx'
import { PurchaseRows } from './purchase-rows.tsx'

/** What a player has, and what happened to them. */
export function PlayerView({ walletAddress }: { walletAddress: string }) {
  const player = useQuery(playerQuery(walletAddress))
  const purchases = useInfiniteQuery(purchasesQuery({ wallet: walletAddress }))
  const cases = useInfiniteQuery(casesQuery({ wallet: walletAddress, status: 'all' }))
  return (
    <div className="grid gap-5">
      <Shown query={player} what="The player">
        {(read) => <PlayerCard player={read} />}
      </Shown>
      <Part title="Purchases and sales" about="Newest first.">
        <Pages query={purchases} what="The purchases" nothing="This wallet has neither bought nor sold anything.">
          {(items) => <PurchaseRows purchases={items} />}
        </Pages>
      </Part>
      <Part title="Cases" about="Payments to or from this wallet that did not end in a delivery.">
        <Pages query={cases} what="The cases" nothing="There is no case with this wallet.">
          {(items) => <CaseList cases={items} />}
        </Pages>
      </Part>
    </div>
  )
}

function PlayerCard({ player }: { player: Player }) {
  const { walletAddress, createdAt, openPurchases, openCases, block } = player
  const mayBlock = useMay('rules')
  const mayCredit = useMay('credit')
  const mayDebit = useMay('debit')
  return (
    <Part
      title="Player"
      about={
        <Status tone={block ? 'warn' : createdAt ? 'good' : 'plain'}>
          {block ? 'Blocked' : createdAt ? 'Active' : 'Has never signed in'}
        </Status>
      }
      actions={
        <>
          {mayCredit && <MoveDrinks direction="credit" walletAddress={walletAddress} />}
          {mayDebit && <MoveDrinks direction="debit" walletAddress={walletAddress} />}
          {mayBlock && <BlockActions walletAddress={walletAddress} block={block} />}
        </>
      }
    >
      <div className="text-small">
        <Copyable label="the address" text={walletAddress} />
      </div>
      {block && (
        <p className="rounded-field bg-warn/12 px-4 py-3 text-small wrap-anywhere">
          <b className="font-semibold">Blocked</b> since <Moment at={block.since} />
          {block.until ? (
            <>
              , until <Moment at={block.until} />
            </>
          ) : (
            ', until somebody ends it'
          )}
          {block.removeListings && ', with its listings taken off the market'}: {block.reason}
        </p>
      )}
      <Facts>
        <Fact name="First signed in">{createdAt ? <Moment at={createdAt} /> : 'never'}</Fact>
        <Fact name="Buying right now">{formatAmount(openPurchases)}</Fact>
        <Fact name="Open cases">{formatAmount(openCases)}</Fact>
      </Facts>
      <Drinks player={player} />
    </Part>
  )
}

interface DrinkRow {
  type: string
  name: string
  has: number
  forSale: number
}

const columns: readonly Column<DrinkRow>[] = [
  { name: 'Drink', cell: ({ type, name }) => <DrinkName type={type} name={name} /> },
  { name: 'Has', figures: true, cell: ({ has }) => formatAmount(has) },
  { name: 'For sale', figures: true, cell: ({ forSale }) => formatAmount(forSale) },
]

/** Of many items, those that the player has or sells come first. */
function Drinks({ player: { balances, listed } }: { player: Player }) {
  const { items } = catalogue()
  const many = items.length > MOST_SIDE_BY_SIDE
  const all = items.map(({ code, name }) => {
    const key = balanceKey(code)
    return { type: code, name, has: balances[key] ?? 0, forSale: listed[key] ?? 0 }
  })
  const owns = ({ has, forSale }: DrinkRow) => has + forSale > 0
  const rows = many ? [...all.filter(owns), ...all.filter((row) => !owns(row))] : all
  return <Table short={many} caption="Drinks" columns={columns} rows={rows} keyOf={({ type }) => type} />
}

import { balanceKey, type Balances, MAX_ITEM_NAME, type TokenType } from '@juicebar/contract/catalogue'
import { useState } from 'react'

import { catalogue, MOST_SIDE_BY_SIDE } from '../../catalogue/catalogue.ts'
import { DrinkImage } from '../../catalogue/drink-image.tsx'
import { Button } from '../../ui/button.tsx'
import { CountingNumber } from '../../ui/counting-number.tsx'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { SearchBox } from '../../ui/search-box.tsx'

interface OwnedListProps {
  owned: readonly OwnedItem[]
  /** Approximately, in SOL; null if none is for sale, and undefined until that is known. */
  worth: (item: OwnedItem) => number | null | undefined
  paused: boolean
  onSell: (item: OwnedItem) => void
}

/** What a wallet has: large cards, or rows with a search if there are many. */
export function OwnedList({ owned, ...card }: OwnedListProps) {
  const [search, setSearch] = useState('')
  const many = owned.length > MOST_SIDE_BY_SIDE
  const shown = many ? namedLike(owned, search) : owned
  return (
    <>
      {many && <SearchBox label="Search your inventory" maxLength={MAX_ITEM_NAME} value={search} onChange={setSearch} />}
      {shown.length === 0 && (
        <p role="status" className="text-dim">
          You have no item of that name.
        </p>
      )}
      <ul className={`grid gap-3 ${many ? 'sm:grid-cols-2 lg:grid-cols-3' : 'sm:grid-cols-3 sm:gap-5'}`}>
        {shown.map((item) => (
          <li key={item.tokenType}>
            <OwnedCard item={item} asRow={many} {...card} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** A card is a row on a phone, too. A row is as high as its text, however high the picture is. */
const rowOrCard = {
  row: { card: 'flex-row', plate: 'w-20 [contain:size]', text: 'items-center', button: '' },
  card: {
    card: 'max-sm:flex-row',
    plate: 'max-sm:w-24 max-sm:[contain:size] max-[23rem]:w-18 sm:h-52 lg:h-68',
    text: 'items-center sm:flex-wrap sm:items-end md:p-5',
    button: 'sm:max-md:w-full',
  },
}

interface OwnedCardProps extends Omit<OwnedListProps, 'owned'> {
  item: OwnedItem
  asRow: boolean
}

function OwnedCard({ item, asRow, worth, paused, onSell }: OwnedCardProps) {
  const { tokenType, balance } = item
  const about = worth(item)
  const style = rowOrCard[asRow ? 'row' : 'card']
  return (
    <article className={`card drink-card ${style.card}`} data-token={tokenType}>
      <div className={`plate flex-none ${style.plate}`}>
        <DrinkImage tokenType={tokenType} late={asRow} />
      </div>
      <div className={`flex min-w-0 flex-1 justify-between gap-3 p-4 max-[23rem]:gap-2 max-[23rem]:p-3 ${style.text}`}>
        <div className="min-w-0">
          <h3 className="flex items-center gap-2 text-small">
            <span className="dot" />
            <span className="min-w-0 wrap-anywhere">{catalogue().nameOf(tokenType)}</span>
          </h3>
          <p className={`mt-2 truncate font-bold tracking-tight ${asRow ? 'text-lead' : 'text-figure sm:mt-3'}`}>
            <CountingNumber value={balance} format={(amount) => formatAmount(Math.round(amount))} />
          </p>
          <p className="figures mt-1 min-h-4.5 truncate text-tiny text-dim">
            {about !== undefined && (about === null ? 'none for sale' : `about ${formatUnitPrice(about)} SOL`)}
          </p>
        </div>
        <Button
          kind="primary"
          className={style.button}
          disabled={paused}
          title={paused ? 'The line below the header says why.' : undefined}
          onClick={() => onSell(item)}
        >
          {paused ? 'Paused' : 'Sell'}
        </Button>
      </div>
    </article>
  )
}

/** An item that a wallet has, and how many of it. */
export interface OwnedItem {
  tokenType: TokenType
  balance: number
}

/**
 * What a wallet has, in the order of the catalogue.
 *
 * @returns `unknownKinds`: how many other kinds of items it has that only a newer page knows
 */
export function ownedItems(balances: Balances): { owned: OwnedItem[]; unknownKinds: number } {
  const all = catalogue().items.map(({ code }) => ({ tokenType: code, balance: balances[balanceKey(code)] ?? 0 }))
  const owned = all.filter(({ balance }) => balance > 0)
  const kinds = Object.values(balances).filter((balance) => balance > 0).length
  return { owned, unknownKinds: kinds - owned.length }
}

/** The items whose names contain the search text. */
export function namedLike(items: readonly OwnedItem[], search: string): OwnedItem[] {
  const term = search.trim().toLowerCase()
  return items.filter(({ tokenType }) => catalogue().nameOf(tokenType).toLowerCase().includes(term))
}

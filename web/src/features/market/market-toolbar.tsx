import { MAX_SEARCH_LENGTH } from '@juicebar/contract/limits'
import { type ListingSort } from '@juicebar/contract/schemas'
import { type TokenType, tokenTypes } from '@juicebar/contract/token-types'

import { SearchIcon } from '../../ui/icons.tsx'
import { type MarketFilter } from './use-market.ts'

const sortLabels: Record<ListingSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  price: 'Price, low to high',
  '-price': 'Price, high to low',
  unitPrice: 'Unit price, low to high',
  '-unitPrice': 'Unit price, high to low',
}

interface ToolbarProps {
  filter: MarketFilter
  onChange: (change: Partial<MarketFilter>) => void
}

/** The market's search, order and drinks. It stays in sight while the market scrolls; on a narrow screen without the drinks. */
export function MarketToolbar({ filter, onChange }: ToolbarProps) {
  return (
    <search className="max-lg:contents lg:pinned lg:grid lg:gap-3 lg:grid-cols-[minmax(16rem,1fr)_auto_auto] lg:items-center">
      <div className="grid grid-cols-[1fr_auto] gap-2 max-lg:pinned lg:contents">
        <SearchBox search={filter.search} onChange={(search) => onChange({ search })} />
        <label>
          <span className="sr-only">Order</span>
          <select className="field max-sm:w-36" value={filter.sort} onChange={(event) => onChange({ sort: readSort(event.target.value) })}>
            {Object.entries(sortLabels).map(([sort, label]) => (
              <option key={sort} value={sort}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <DrinkChips chosen={filter.tokenType} onChoose={(tokenType) => onChange({ tokenType })} />
    </search>
  )
}

function SearchBox({ search, onChange }: { search: string; onChange: (search: string) => void }) {
  return (
    <label className="block">
      <span className="sr-only">Search by token or seller</span>
      <span className="relative block">
        <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-dim">
          <SearchIcon />
        </span>
        <input
          type="search"
          className="field pl-11"
          placeholder="Search..."
          maxLength={MAX_SEARCH_LENGTH}
          spellCheck={false}
          value={search}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
    </label>
  )
}

function DrinkChips({ chosen, onChoose }: { chosen: TokenType | undefined; onChoose: (type: TokenType | undefined) => void }) {
  return (
    <fieldset className="-mx-4 min-w-0 overflow-x-auto max-lg:-mt-2 px-4 py-0.5 sm:mx-0 sm:px-0">
      <legend className="sr-only">Drink</legend>
      <div className="flex gap-2">
        <DrinkChip label="All" checked={!chosen} onCheck={() => onChoose(undefined)} />
        {tokenTypes.map(({ type, name }) => (
          <DrinkChip key={type} token={type} label={name} checked={chosen === type} onCheck={() => onChoose(type)} />
        ))}
      </div>
    </fieldset>
  )
}

function DrinkChip({ token, label, checked, onCheck }: { token?: TokenType; label: string; checked: boolean; onCheck: () => void }) {
  return (
    <label className="chip" data-token={token}>
      <input type="radio" name="drink" className="sr-only" checked={checked} onChange={onCheck} />
      {token && <span className="dot" />}
      {label}
    </label>
  )
}

function readSort(value: string): ListingSort {
  return value in sortLabels ? (value as ListingSort) : 'newest'
}

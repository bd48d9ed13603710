import { type TokenType } from '@juicebar/contract/catalogue'
import { MAX_SEARCH_LENGTH } from '@juicebar/contract/limits'

import { catalogue, inMarketWords, MOST_SIDE_BY_SIDE } from '../../catalogue/catalogue.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { type MarketFilter, readSort, sortLabels } from './market-filter.ts'

const ItemFilter = lazyComponent(async () => (await import('./item-filter.tsx')).ItemFilter)

interface ToolbarProps {
  filter: MarketFilter
  onChange: (change: Partial<MarketFilter>) => void
}

/** The market's search, order and items. It stays visible while the market scrolls. */
export function MarketToolbar({ filter, onChange }: ToolbarProps) {
  const items = { chosen: filter.tokenType, onChoose: (tokenType: TokenType | undefined) => onChange({ tokenType }) }
  return (
    <form
      role="search"
      action="/"
      className="pinned grid gap-1.5 lg:gap-3 lg:grid-cols-[minmax(16rem,1fr)_auto] lg:items-center"
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="grid grid-cols-[1fr_auto] gap-2 lg:contents">
        <SearchBox
          label="Search by token or seller"
          name="search"
          maxLength={MAX_SEARCH_LENGTH}
          value={filter.search}
          onChange={(search) => onChange({ search })}
        />
        <label>
          <span className="sr-only">Order</span>
          <select
            name="sort"
            className="field max-sm:w-36"
            value={filter.sort}
            onChange={(event) => onChange({ sort: readSort(event.target.value) })}
          >
            {Object.entries(sortLabels).map(([sort, label]) => (
              <option key={sort} value={sort}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {catalogue().items.length > MOST_SIDE_BY_SIDE ? (
        <Part fallback={<div className="field lg:col-start-3 lg:w-64" />}>
          <ItemFilter {...items} />
        </Part>
      ) : (
        <DrinkChips {...items} />
      )}
      <button type="submit" className="button without-script-only">
        Show
      </button>
    </form>
  )
}

/** More items than this get a line of their own, even if the whole toolbar would fit on one line. */
const MOST_IN_LINE = 4

function DrinkChips({ chosen, onChoose }: { chosen: TokenType | undefined; onChoose: (type: TokenType | undefined) => void }) {
  const { items } = catalogue()
  return (
    <fieldset
      className={`-mx-4 min-w-0 overflow-x-auto px-4 py-0.5 sm:mx-0 sm:px-0 ${items.length > MOST_IN_LINE ? 'lg:col-span-full' : 'lg:col-start-3'}`}
    >
      <legend className="sr-only">{inMarketWords('Drink')}</legend>
      <div className="flex gap-2">
        <DrinkChip label="All" checked={!chosen} onCheck={() => onChoose(undefined)} />
        {items.map(({ code, name }) => (
          <DrinkChip key={code} token={code} label={name} checked={chosen === code} onCheck={() => onChoose(code)} />
        ))}
      </div>
    </fieldset>
  )
}

function DrinkChip({ token, label, checked, onCheck }: { token?: TokenType; label: string; checked: boolean; onCheck: () => void }) {
  return (
    <label className="chip" data-token={token}>
      <input type="radio" name="tokenType" value={token ?? ''} className="sr-only" checked={checked} onChange={onCheck} />
      {token && <span className="dot" />}
      {label}
    </label>
  )
}

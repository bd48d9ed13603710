import { type TokenType } from '@juicebar/contract/catalogue'
import { MAX_SEARCH_LENGTH } from '@juicebar/contract/limits'
import { type ListingSort } from '@juicebar/contract/schemas'

import { type ListingFilter } from '../../api/queries.ts'
import { catalogue } from '../../catalogue/catalogue.ts'

export interface MarketFilter {
  search: string
  tokenType: TokenType | undefined
  sort: ListingSort
}

export const sortLabels: Record<ListingSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  price: 'Price, low to high',
  '-price': 'Price, high to low',
  unitPrice: 'Unit price, low to high',
  '-unitPrice': 'Unit price, high to low',
}

/** What the market shows at first. */
export const everything: MarketFilter = { search: '', tokenType: undefined, sort: 'newest' }

/** Reads the filter from the query of the market's address. What means nothing here is left out. */
export function readFilter(query: string): MarketFilter {
  const fields = new URLSearchParams(query)
  const tokenType = catalogue().items.find(({ code }) => code === fields.get('tokenType'))?.code
  return { search: (fields.get('search') ?? '').slice(0, MAX_SEARCH_LENGTH), tokenType, sort: readSort(fields.get('sort') ?? '') }
}

/** The page of the list that the market's address asks for: where the one before ended. Empty for the first. */
export function readCursor(query: string): string {
  return new URLSearchParams(query).get('cursor') ?? ''
}

export function readSort(value: string): ListingSort {
  return value in sortLabels ? (value as ListingSort) : everything.sort
}

/** The listings that a filter selects, in the words of the API. */
export function listingFilter({ search, tokenType, sort }: MarketFilter): ListingFilter {
  const term = search.trim()
  return { sort, ...(term && { search: term }), ...(tokenType && { tokenType }) }
}

/** The address of the market with a filter, as a form would make it. */
export function marketAddress(filter: MarketFilter, cursor = ''): string {
  const { sort, ...fields } = listingFilter(filter)
  const query = new URLSearchParams({ ...fields, ...(sort && sort !== everything.sort && { sort }), ...(cursor && { cursor }) })
  return query.size > 0 ? `/?${query}` : '/'
}

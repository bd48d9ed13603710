import { type CatalogueItem, type TokenType, balanceKey, type Balances } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'
import { MAX_AMOUNT, MIN_AMOUNT } from '@juicebar/contract/limits'
import { type Picture } from '../pictures/picture.ts'

/** The items traded in this market, as this server read them at startup. */
export interface Catalogue {
  /** In the order of the file. */
  readonly items: readonly CatalogueItem[]
  readonly pictures: readonly Picture[]
  /** The file is the studio's; false for Juicebar's three drinks. */
  readonly isOwn: boolean
  item(code: TokenType): CatalogueItem | undefined
  /** The code of the item whose code or name is `text`, exactly; undefined if there is none. */
  find(text: string): TokenType | undefined
  /** The name of an item, including items that have left the file once `addFormer` was called; the code of an unknown one. */
  nameOf(code: TokenType): string
  /** Takes the names of items that are no longer in the file: purchases still have them. */
  addFormer(items: readonly NamedItem[]): void
}

export type NamedItem = Pick<CatalogueItem, 'code' | 'name'>

export function createCatalogue(items: readonly CatalogueItem[], { pictures, isOwn }: Pick<Catalogue, 'pictures' | 'isOwn'>): Catalogue {
  const byCode = new Map(items.map((item) => [item.code, item]))
  const byText = new Map(items.flatMap(({ code, name }) => [code, name].map((text) => [text, code])))
  const former = new Map<TokenType, string>()
  return {
    items,
    pictures,
    isOwn,
    item: (code) => byCode.get(code),
    find: (text) => byText.get(text),
    nameOf: (code) => byCode.get(code)?.name ?? former.get(code) ?? code,
    addFormer: (known) => {
      for (const { code, name } of known) former.set(code, name)
    },
  }
}

/**
 * The code of an item that a caller names by code or name.
 * @throws TOKEN_TYPE_UNKNOWN
 */
export function requireTokenType({ find }: Pick<Catalogue, 'find'>, text: string): TokenType {
  const tokenType = find(text)
  if (tokenType === undefined) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

/**
 * A whole number of tokens within the contract's limits. `about`: the listing that it is a part of, for the error.
 * @throws AMOUNT_INVALID
 */
export function requireTokenAmount(amount: number, about: { listingId?: string } = {}): number {
  if (!Number.isInteger(amount) || amount < MIN_AMOUNT || amount > MAX_AMOUNT) throw new Failure('AMOUNT_INVALID', about)
  return amount
}

export interface TokenAmount {
  tokenType: TokenType
  amount: number
}

/** Amounts as replies carry them: of every item in the catalogue, and of any other owned items, which only newer servers know. */
export function balancesOf({ items }: Pick<Catalogue, 'items'>, amounts: readonly TokenAmount[]): Balances {
  const balances: Balances = Object.fromEntries(items.map(({ code }) => [balanceKey(code), 0]))
  for (const { tokenType, amount } of amounts) if (amount > 0) balances[balanceKey(tokenType)] = amount
  return balances
}

/** The metadata in the head of a drink's page, for browsers and link previews. */
export interface DrinkPage {
  title: string
  description: string
  /** The path of the drink's picture. */
  picture: string
}

/** Describes a drink in the words of a link preview, without its price, since a preview is kept for weeks; undefined if there is no such drink. */
export function drinkPage({ items }: Pick<Catalogue, 'items'>, code: string): DrinkPage | undefined {
  const item = items.find((item) => item.code === code)
  if (item === undefined) return undefined
  return {
    title: item.name,
    description: `What ${item.name} costs in SOL, now and over time, how much of it is for sale, and its last trades.`,
    picture: item.image,
  }
}

import { DRINK_PATH } from '@juicebar/contract/market-settings'
import { type TokenType } from '@juicebar/contract/catalogue'

import { catalogue } from '../catalogue/catalogue.ts'

/** A drink's name and address for figures. */
export interface Drink {
  type: TokenType
  name: string
}

/** All drinks of the market, in its order. */
export function allDrinks(): readonly Drink[] {
  return catalogue().items.map(({ code, name }) => ({ type: code, name }))
}

/** The drink with this token type; undefined if the market has none. */
export function findDrink(code: string): Drink | undefined {
  return allDrinks().find(({ type }) => type === code)
}

/** The address of a drink's page on this server. */
export function drinkPath(tokenType: TokenType): string {
  return `${DRINK_PATH}${tokenType}`
}

import { type TokenType } from './catalogue.ts'

export { balanceKey, type Balances, type TokenType } from './catalogue.ts'

/** The drinks that players trade. ARCHITECTURE.md, "How to add", lists what else a new drink takes. */
export const tokenTypes = [
  { type: 'APPLE_JUICE', name: 'Apple Juice', balance: 'appleJuice' },
  { type: 'ORANGE_JUICE', name: 'Orange Juice', balance: 'orangeJuice' },
  { type: 'GRAPE_SODA', name: 'Grape Soda', balance: 'grapeSoda' },
] as const

export type TokenName = string
export type BalanceKey = string

/** The token whose enum value or display name is `text`, exactly; undefined where there is none. */
export function findTokenType(text: string): TokenType | undefined {
  return tokenTypes.find((token) => token.type === text || token.name === text)?.type
}

/** The display name of a token type. */
export function tokenName(type: TokenType): TokenName {
  return tokenTypes.find((token) => token.type === type)?.name ?? type
}

/** The drinks that players trade. ARCHITECTURE.md, "How to add", lists what else a new drink takes. */
export const tokenTypes = [
  { type: 'APPLE_JUICE', name: 'Apple Juice', balance: 'appleJuice' },
  { type: 'ORANGE_JUICE', name: 'Orange Juice', balance: 'orangeJuice' },
  { type: 'GRAPE_SODA', name: 'Grape Soda', balance: 'grapeSoda' },
] as const

export type TokenType = (typeof tokenTypes)[number]['type']
export type TokenName = (typeof tokenTypes)[number]['name']
export type BalanceKey = (typeof tokenTypes)[number]['balance']
export type Balances = Record<BalanceKey, number>

/** The token whose enum value or display name is `text`, exactly; undefined where there is none. */
export function findTokenType(text: string): TokenType | undefined {
  return tokenTypes.find((token) => token.type === text || token.name === text)?.type
}

/** The display name of a token type. */
export function tokenName(type: TokenType): TokenName {
  return tokenRow(type).name
}

/** The field of `Balances` that holds a token type. */
export function balanceKey(type: TokenType): BalanceKey {
  return tokenRow(type).balance
}

function tokenRow(type: TokenType) {
  const row = tokenTypes.find((token) => token.type === type)
  if (!row) throw new Error(`unknown token type ${type}`)
  return row
}

import { solText } from '@juicebar/contract/money'

/** What is for sale at one price. */
export interface LevelRow {
  unitLamports: bigint
  amount: bigint
  listings: bigint
  /** The amount for sale at all prices, including those not among the rows; the same in each row. */
  total: string
}

/** The depth of a drink as replies carry it; `levels` are the cheapest first. */
export function depthJson(levels: readonly LevelRow[]): string {
  const [cheapest] = levels
  const rows = levels.map(
    ({ unitLamports, amount, listings }) => `{"unitPrice":${solText(unitLamports)},"amount":${amount},"listings":${listings}}`,
  )
  return `{"levels":[${rows.join(',')}],"floor":${cheapest ? solText(cheapest.unitLamports) : 'null'},"amount":${cheapest?.total ?? 0}}`
}

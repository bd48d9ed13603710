import { solText } from '@juicebar/contract/money'

/** A drink's figures: prices of one in whole lamports, sums as text. */
export interface SummaryRow {
  tokenType: string
  floor: bigint | null
  amount: string
  last: bigint | null
  /** The last price at or before 24 hours ago. */
  lastBefore: bigint | null
  volumeLamports: string
}

/** The summary as replies carry it. */
export function summaryJson(rows: readonly SummaryRow[]): string {
  const items = rows.map(
    ({ tokenType, floor, last, lastBefore, volumeLamports, amount }) =>
      `{"tokenType":"${tokenType}","floor":${sol(floor)},"last":${sol(last)},"change24h":${change(last, lastBefore)},` +
      `"volume24h":${solText(BigInt(volumeLamports))},"amount":${amount}}`,
  )
  return `{"items":[${items.join(',')}]}`
}

function sol(lamports: bigint | null): string {
  return lamports === null ? 'null' : solText(lamports)
}

/** Also null if the former price rounds to zero. */
function change(last: bigint | null, before: bigint | null): string {
  return last === null || before === null || before === 0n ? 'null' : JSON.stringify(Number(last - before) / Number(before))
}

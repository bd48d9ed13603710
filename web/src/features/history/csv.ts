import { type Purchase } from '@juicebar/contract/schemas'

const columns = [
  'createdAt',
  'settledAt',
  'status',
  'endReason',
  'tokenName',
  'amount',
  'price',
  'lamports',
  'buyer',
  'seller',
  'signature',
  'purchaseId',
] as const

/** Purchases as comma-separated values (RFC 4180), one row each, under a header row. */
export function toCsv(purchases: readonly Purchase[]): string {
  const rows = purchases.map((purchase) => columns.map((column) => field(purchase[column] ?? '')))
  return [columns, ...rows].map((row) => row.join(',')).join('\r\n')
}

function field(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

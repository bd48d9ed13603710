import { solText } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'

import { feeShares, receiptOf } from './receipt.ts'

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
const feeColumns = ['fee', 'feeLamports'] as const

type Line = Record<(typeof columns)[number] | (typeof feeColumns)[number], string | number | null>

/**
 * Purchases as comma-separated values (RFC 4180) under a header row: a line for each item, with its share of the fee. The total paid is the
 * sum of the prices and the fees. There are no fee columns if no fee was paid.
 *
 * @param soldBy the seller whose items they are; undefined for the buyer's file
 */
export function toCsv(purchases: readonly Purchase[], soldBy: string | undefined): string {
  const lines = purchases.flatMap((purchase) => linesOf(purchase, soldBy))
  const shown = lines.some(({ feeLamports }) => feeLamports !== '0') ? [...columns, ...feeColumns] : columns
  return [shown, ...lines.map((line) => shown.map((column) => field(line[column] ?? '')))].map((row) => row.join(',')).join('\r\n')
}

function linesOf(purchase: Purchase, soldBy: string | undefined): Line[] {
  const { createdAt, settledAt, status, endReason, buyer, signature, purchaseId } = purchase
  const receipt = receiptOf(purchase, soldBy)
  const shares = feeShares(receipt)
  return receipt.items.map(({ tokenName, amount, lamports, seller }, index) => {
    const fee = shares[index] ?? 0n
    const item = { tokenName, amount, price: solText(BigInt(lamports)), lamports, seller, fee: solText(fee), feeLamports: fee.toString() }
    return { createdAt, settledAt, status, endReason, ...item, buyer, signature, purchaseId }
  })
}

/** A row of comma-separated values, with its line ending. */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return `${fields.map((value) => field(value ?? '')).join(',')}\r\n`
}

/** Text that a spreadsheet would read as a formula. */
const formula = /^[=+\-@\t\r]/

function field(value: string | number): string {
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

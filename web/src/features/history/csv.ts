import { solText } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'

import { inMarketWords } from '../../catalogue/catalogue.ts'

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

/** Saves text in parts as a file of comma-separated values. */
export function saveCsv(name: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** A purchase as one side sees it. Sums are exact, in lamports. */
export interface Receipt {
  items: Purchase['items']
  /** How many drinks, in all. */
  amount: number
  /** The price of all items, without the fee. */
  lamports: bigint
  /** The fee that the buyer pays the studio on top; 0 for a seller, who does not pay it. */
  fee: bigint
}

/**
 * A purchase as its buyer or one of its sellers sees it.
 *
 * @param soldBy the seller, who sees only what was bought there; undefined for the buyer
 */
export function receiptOf({ items, fee }: Pick<Purchase, 'items' | 'fee'>, soldBy: string | undefined): Receipt {
  const seen = soldBy === undefined ? items : items.filter(({ seller }) => seller === soldBy)
  return {
    items: seen,
    amount: seen.reduce((sum, { amount }) => sum + amount, 0),
    lamports: seen.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n),
    fee: soldBy === undefined ? BigInt(fee.lamports) : 0n,
  }
}

/** Each item's share of the fee in lamports, in proportion to its price. They add up to the fee exactly. */
export function feeShares({ items, lamports, fee }: Receipt): bigint[] {
  let priceSoFar = 0n
  let feeSoFar = 0n
  return items.map((item) => {
    priceSoFar += BigInt(item.lamports)
    const share = (lamports === 0n ? 0n : (fee * priceSoFar) / lamports) - feeSoFar
    feeSoFar += share
    return share
  })
}

/** "160 Apple Juice", or "160 drinks" of several kinds. */
export function drinksIn({ items, amount }: Receipt): { amount: number; name: string; tokenType: string | undefined } {
  const [first] = items
  const sameDrink = first !== undefined && items.every(({ tokenType }) => tokenType === first.tokenType)
  return { amount, name: sameDrink ? first.tokenName : inMarketWords('drinks'), tokenType: sameDrink ? first.tokenType : undefined }
}

import { MAX_ITEMS } from '@juicebar/contract/limits'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { type OrderItem } from './order.ts'

/** Items as JSON has them, to be kept over a reload. */
export function writeItems(items: readonly OrderItem[]): object[] {
  return items.map(({ listingId, seller, tokenType, amount, lamports }) => ({
    listingId,
    seller,
    tokenType,
    amount,
    lamports: String(lamports),
  }))
}

/** Reads what `writeItems` wrote, without what it cannot have written. */
export function readItems(value: unknown): OrderItem[] {
  return Array.isArray(value) ? value.flatMap(readItem).slice(0, MAX_ITEMS) : []
}

function readItem(value: unknown): OrderItem[] {
  if (!isRecord(value)) return []
  const { listingId, seller, amount, lamports } = value
  const known = catalogue().items.find(({ code }) => code === value['tokenType'])
  if (!known || typeof listingId !== 'string' || typeof seller !== 'string') return []
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) return []
  if (typeof lamports !== 'string' || !/^\d{1,18}$/.test(lamports)) return []
  return [{ listingId, seller, tokenType: known.code, tokenName: known.name, amount, lamports: BigInt(lamports) }]
}

/** The object in a text of JSON; undefined if it is anything else. */
export function parseRecord(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

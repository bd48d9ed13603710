import { type Sale } from '@juicebar/contract/schemas'

import { type FollowedSales } from '../studio/game.ts'
import { type ProductRecord, type PurchaseSeen } from './product-record.ts'

const SHOWN = 3

/**
 * Whoever followed all sales has every item that was sold, once and as it was sold, and whose payment the chain has undone, once more
 * after that; in the order in which anybody else sees them.
 * @returns a sentence for every kind of violation
 */
export function checkSales({ kept, fresh, refusals }: FollowedSales, product: ProductRecord): string[] {
  const seen = kept.map(saleText)
  const expected = expectedSales(product)
  const [isSeen, isExpected] = [new Set(seen), new Set(expected)]
  const ids = kept.map(({ saleId }) => saleId)
  return [
    ...refusals,
    ...some(
      'the game has missed',
      expected.filter((text) => !isSeen.has(text)),
    ),
    ...some(
      'the game was told of',
      seen.filter((text) => !isExpected.has(text)),
    ),
    ...some(
      'the game was told twice of',
      ids.filter((id, index) => ids.indexOf(id) < index),
    ),
    ...some(
      'the game was told too early of',
      kept.filter(isEarly(ids)).map(({ saleId }) => saleId),
    ),
    ...feesAddUp(kept, product),
    ...sameOrder(kept, fresh),
  ]
}

/** One entry for each item, and another if its payment vanished after the delivery. */
function expectedSales({ purchases, cases }: ProductRecord): string[] {
  const undone = new Set([...cases.values()].filter(({ kind }) => kind === 'vanished').map(({ purchaseId }) => purchaseId))
  const sold = [...purchases.values()].filter(({ status }) => status === 'settled')
  return sold.flatMap((purchase) => {
    const sales = purchase.items.map((item, index) => ({
      ...item,
      ...partiesOf(purchase),
      saleId: `${purchase.purchaseId}.${index + 1}`,
      reverses: null,
    }))
    const reversals = sales.map((sale) => ({ ...sale, saleId: `${sale.saleId}.reversed`, reverses: sale.saleId }))
    return [...sales, ...(undone.has(purchase.purchaseId) ? reversals : [])].map(saleText)
  })
}

function partiesOf({ purchaseId, buyer, signature }: PurchaseSeen) {
  return { purchaseId, buyer, signature: signature ?? '' }
}

type SaleFacts = Omit<Sale, 'fee' | 'settledAt' | 'tokenType' | 'checkout'> & { tokenType: string }

function saleText(sale: SaleFacts): string {
  const { saleId, reverses, listingId, buyer, seller, tokenType, amount, lamports, signature } = sale
  const what = `${amount} ${tokenType} of listing ${listingId} for ${lamports} lamports`
  return `${saleId}${reverses === null ? '' : `, which reverses ${reverses}`}: ${what}, from ${seller} to ${buyer}, paid by ${signature}`
}

/** A reversal comes after what it reverses. */
function isEarly(ids: readonly string[]) {
  return ({ saleId, reverses }: Sale) => reverses !== null && ids.indexOf(reverses) > ids.indexOf(saleId)
}

function feesAddUp(kept: readonly Sale[], { purchases }: ProductRecord): string[] {
  const shares = new Map<string, bigint>()
  for (const { purchaseId, reverses, fee } of kept) {
    if (reverses === null) shares.set(purchaseId, (shares.get(purchaseId) ?? 0n) + BigInt(fee.lamports))
  }
  const wrong = [...shares].filter(([id, sum]) => purchases.get(id)?.fee.lamports !== sum.toString())
  return some(
    'the shares of the fee do not add up for',
    wrong.map(([id]) => `purchase ${id}`),
  )
}

function sameOrder(kept: readonly Sale[], fresh: readonly Sale[]): string[] {
  const at = Array.from({ length: Math.max(kept.length, fresh.length) }).findIndex(
    (_, index) => kept[index]?.saleId !== fresh[index]?.saleId,
  )
  if (at === -1) return []
  return [`entry ${at + 1} of the sales is ${kept[at]?.saleId} to the game, and ${fresh[at]?.saleId} to whoever begins now`]
}

function some(words: string, found: readonly string[]): string[] {
  return found.length === 0 ? [] : [`${words} ${found.length} sales, such as ${found.slice(0, SHOWN).join('; ')}`]
}

import { type Purchase } from '@juicebar/contract/schemas'

import { inMarketWords } from '../../catalogue/in-market-words.ts'

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

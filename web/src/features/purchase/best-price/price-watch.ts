/** The last price that a buyer was shown for an amount. Prices are in lamports. */
export interface ShownPrice {
  amount: number
  total: bigint
  /** What it cost before it rose under the buyer's eyes; undefined if it did not, or if the buyer has accepted that. */
  risenFrom?: bigint | undefined
}

/** What is shown after the price of an amount was asked for again: a rise has to be accepted before it is paid. */
export function watchPrice(shown: ShownPrice | undefined, amount: number, total: bigint): ShownPrice {
  if (shown?.amount !== amount) return { amount, total }
  const before = shown.risenFrom ?? shown.total
  return total > before ? { amount, total, risenFrom: before } : { amount, total }
}

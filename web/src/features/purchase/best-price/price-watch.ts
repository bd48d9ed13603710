/** The last price that a buyer was shown for an amount. Prices are in lamports. */
export interface ShownPrice {
  amount: number
  total: bigint
  /** The price before it rose while it was shown; undefined if it did not rise, or if the buyer has accepted the rise. */
  risenFrom?: bigint | undefined
}

/** What to show after the price of an amount was requested again: the buyer must accept a rise before paying. */
export function watchPrice(shown: ShownPrice | undefined, amount: number, total: bigint): ShownPrice {
  if (shown?.amount !== amount) return { amount, total }
  const before = shown.risenFrom ?? shown.total
  return total > before ? { amount, total, risenFrom: before } : { amount, total }
}

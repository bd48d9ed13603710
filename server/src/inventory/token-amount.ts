import { Failure } from '@juicebar/contract/errors'
import { MAX_AMOUNT, MIN_AMOUNT } from '@juicebar/contract/limits'

/**
 * A whole number of tokens within the contract's limits. `about`: the listing that it is a part of, for the error.
 * @throws AMOUNT_INVALID
 */
export function requireTokenAmount(amount: number, about: { listingId?: string } = {}): number {
  if (!Number.isInteger(amount) || amount < MIN_AMOUNT || amount > MAX_AMOUNT) throw new Failure('AMOUNT_INVALID', about)
  return amount
}

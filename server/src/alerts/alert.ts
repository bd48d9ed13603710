import { Failure } from '@juicebar/contract/errors'
import { MAX_PRICE_SOL, MIN_ALERT_SOL } from '@juicebar/contract/limits'
import { type Lamports, solToLamports } from '@juicebar/contract/money'
import { type TokenType } from '@juicebar/contract/catalogue'

/** The price at which a player wants to be notified: one drink costs at most this much. */
export interface AlertTerms {
  tokenType: TokenType
  below: Lamports
}

/**
 * Reads the price of an alert in SOL.
 * @throws ALERT_PRICE_INVALID
 */
export function readAlertPrice(sol: number): Lamports {
  const value = sol >= MIN_ALERT_SOL && sol <= MAX_PRICE_SOL ? solToLamports(sol) : undefined
  if (value === undefined) throw new Failure('ALERT_PRICE_INVALID')
  return value
}

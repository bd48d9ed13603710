import { MIN_AMOUNT, MIN_PRICE_SOL } from '@juicebar/contract/limits'
import { parsePrice } from '@juicebar/contract/money'
import { tokenName, type TokenType } from '@juicebar/contract/token-types'

import { formatAmount } from '../../ui/format.ts'

/** The fields of the sell form, as typed. */
export interface SellFields {
  amount: string
  price: string
}

export interface SellProblems {
  amount: string | undefined
  price: string | undefined
}

/** True if List Item is disabled: a field is empty or not above 0 (specification, section 5). */
export function isIncomplete({ amount, price }: SellFields): boolean {
  return !(Number(amount) > 0) || !(Number(price) > 0)
}

/** True if a field is empty, which pressing Enter is answered with. */
export function isMissing({ amount, price }: SellFields): boolean {
  return amount.trim() === '' || price.trim() === ''
}

/** What is wrong with each field, as a sentence; a field that is still empty has no problem yet. */
export function sellProblems(fields: SellFields, balance: number): SellProblems {
  return { amount: amountProblem(fields.amount, balance), price: priceProblem(fields.price) }
}

/** The price of one token in SOL; undefined until both fields hold numbers above 0. */
export function unitPriceOf({ amount, price }: SellFields): number | undefined {
  const unit = Number(price) / Number(amount)
  return Number.isFinite(unit) && unit > 0 ? unit : undefined
}

/** A unit price this far below or above the cheapest listing, in percent, is questioned: a decimal point may have slipped. */
const FAR_BELOW = -50
const FAR_ABOVE = 100

/** How a unit price compares with the cheapest on the market, and whether it is far off. */
export function compareUnitPrice(unit: number, cheapest: number): { text: string; farOff: boolean } {
  const percent = Math.round((unit / cheapest - 1) * 100)
  const farOff = percent <= FAR_BELOW || percent >= FAR_ABOVE
  return { text: comparison(percent) + (farOff ? '. Is this the price you mean?' : ''), farOff }
}

function comparison(percent: number): string {
  if (percent === 0) return 'The same as the cheapest lot'
  if (percent < 0) return `${formatAmount(-percent)}% below the cheapest lot`
  return `${formatAmount(percent)}% above the cheapest lot`
}

/** What a listing of `amount` tokens does to the inventory. */
export function escrowPreview(tokenType: TokenType, amount: number, balance: number): string {
  return `The listing holds ${formatAmount(amount)} ${tokenName(tokenType)} until it is sold or removed; ${formatAmount(balance - amount)} stay in your inventory.`
}

function amountProblem(text: string, balance: number): string | undefined {
  if (text === '') return undefined
  const amount = Number(text)
  if (!Number.isInteger(amount)) return 'Only whole tokens can be sold.'
  if (amount < MIN_AMOUNT) return `Sell at least ${MIN_AMOUNT}.`
  return amount > balance ? `You have ${formatAmount(balance)}.` : undefined
}

function priceProblem(text: string): string | undefined {
  if (text === '') return undefined
  const price = Number(text)
  if (!(price >= MIN_PRICE_SOL)) return `The lowest price is ${MIN_PRICE_SOL} SOL.`
  return parsePrice(price) === undefined ? 'The price must be at most 1,000,000 SOL, in steps of 0.001 SOL.' : undefined
}

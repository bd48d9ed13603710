import { MAX_PRICE_SOL, MIN_PRICE_SOL, PRICE_STEP_SOL } from '@juicebar/contract/limits'
import { parsePrice, PRICE_STEP_LAMPORTS, solText } from '@juicebar/contract/money'

import { formatAmount } from '../format.ts'

/** What a seller asks for: the amount, and the price of all of it in SOL, as typed. */
interface TypedOffer {
  amount: string
  price: string
  /** It may be bought in parts. */
  divisible: boolean
}

/** The problem with the price of a listing, as a sentence; an empty field has no problem yet. */
export function listingPriceProblem(offer: TypedOffer): string | undefined {
  return priceProblem(offer.price) ?? divisionProblem(offer)
}

function priceProblem(text: string): string | undefined {
  if (text === '') return undefined
  const price = Number(text)
  if (!(price >= MIN_PRICE_SOL)) return `The lowest price is ${MIN_PRICE_SOL} SOL.`
  return parsePrice(price) === undefined
    ? `The price must be at most ${formatAmount(MAX_PRICE_SOL)} SOL, in steps of ${PRICE_STEP_SOL} SOL.`
    : undefined
}

/** Sold in parts, each drink costs at least a lamport. */
function divisionProblem({ amount, price, divisible }: TypedOffer): string | undefined {
  const lamports = parsePrice(Number(price))
  if (!divisible || lamports === undefined || !Number.isInteger(Number(amount)) || lamports >= BigInt(amount)) return undefined
  const steps = (BigInt(amount) + PRICE_STEP_LAMPORTS - 1n) / PRICE_STEP_LAMPORTS
  return `To be sold in parts, this many must cost at least ${solText(steps * PRICE_STEP_LAMPORTS)} SOL.`
}

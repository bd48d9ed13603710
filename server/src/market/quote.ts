import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { lamportsToSol, partPrice } from '@juicebar/contract/money'
import { type Quote } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Catalogue, requireTokenType, requireTokenAmount } from '../catalogue/catalogue.ts'
import { feeOf, type FeeTerms } from '../purchases/purchase/purchase.ts'

export interface QuoteOrder {
  tokenType: TokenType
  amount: number
  /** The asker, because nobody can buy from themselves. */
  excludeSeller: WalletAddress | undefined
}

interface QuoteFields {
  tokenType: string
  amount: number
  excludeSeller?: string
}

/**
 * Reads the query of `GET /api/marketplace/quote`.
 * @throws TOKEN_TYPE_UNKNOWN, AMOUNT_INVALID, WALLET_ADDRESS_INVALID
 */
export function readQuoteOrder(fields: QuoteFields, catalogue: Pick<Catalogue, 'find'>): QuoteOrder {
  const tokenType = requireTokenType(catalogue, fields.tokenType)
  const amount = requireTokenAmount(fields.amount)
  const excludeSeller = fields.excludeSeller === undefined ? undefined : parseWalletAddress(fields.excludeSeller)
  if (fields.excludeSeller !== undefined && excludeSeller === undefined) throw new Failure('WALLET_ADDRESS_INVALID')
  return { tokenType, amount, excludeSeller }
}

/** A listing that may be bought, or the part taken from it. */
export interface Candidate {
  listingId: string
  seller: WalletAddress
  amount: number
  /** Of the whole amount. */
  lamports: bigint
  /** What its seller last priced: what a part costs follows from that. */
  whole: { amount: number; lamports: bigint }
  divisible: boolean
}

/** Whether a seller can be paid this many lamports in total. */
export type CanReceive = (seller: WalletAddress, lamports: bigint) => boolean

/**
 * Takes from the candidates, cheapest first, until the amount is reached, and returns what was taken. Candidates that do not fit are
 * skipped. If a purchase's limits are reached too soon, more and more of the smallest listings are left out, as long as that helps to reach
 * the amount; otherwise a few cheap listings of single drinks would stop everyone from buying many.
 */
export function fillQuote(candidates: readonly Candidate[], amount: number, canReceive: CanReceive): Candidate[] {
  const first = fill(candidates, amount, canReceive)
  if (!first.limited || amountOf(first.taken) === amount) return first.taken
  for (let least = 2; least <= amount; least *= 2) {
    const large = candidates.filter((candidate) => candidate.amount >= least)
    const { taken } = fill(large, amount, canReceive)
    if (amountOf(taken) === amount) return taken
  }
  return first.taken
}

function fill(candidates: readonly Candidate[], amount: number, canReceive: CanReceive): { taken: Candidate[]; limited: boolean } {
  const taken: Candidate[] = []
  const received = new Map<WalletAddress, bigint>()
  let left = amount
  let limited = false
  for (const candidate of candidates) {
    if (left === 0) break
    const part = partOf(candidate, left)
    if (!part) continue
    const before = received.get(part.seller)
    if (taken.length === MAX_ITEMS || (before === undefined && received.size === MAX_SELLERS)) {
      limited = true
      continue
    }
    const sum = (before ?? 0n) + part.lamports
    if (!canReceive(part.seller, sum)) continue
    received.set(part.seller, sum)
    taken.push(part)
    left -= part.amount
  }
  return { taken, limited }
}

/** At most this many drinks of a listing; undefined if it is indivisible and has more. */
function partOf(candidate: Candidate, most: number): Candidate | undefined {
  if (candidate.amount <= most) return candidate
  if (!candidate.divisible) return undefined
  return { ...candidate, amount: most, lamports: partPrice(candidate.whole, most) }
}

export function amountOf(items: readonly Candidate[]): number {
  return items.reduce((sum, item) => sum + item.amount, 0)
}

/** The sellers who would receive less than `least` lamports in total. */
export function smallPayees(items: readonly Candidate[], least: bigint): WalletAddress[] {
  const sums = new Map<WalletAddress, bigint>()
  for (const { seller, lamports } of items) sums.set(seller, (sums.get(seller) ?? 0n) + lamports)
  return [...sums].flatMap(([seller, sum]) => (sum < least ? [seller] : []))
}

/** A quote as the reply carries it. */
export function quoteReply(items: readonly Candidate[], { tokenType, amount: asked, excludeSeller }: QuoteOrder, terms: FeeTerms): Quote {
  const amount = amountOf(items)
  const lamports = items.reduce((sum, item) => sum + item.lamports, 0n)
  const unitPrices = items.map((item) => unitPrice(item.lamports, item.amount))
  return {
    items: items.map((item) => ({
      listingId: item.listingId,
      seller: item.seller,
      tokenType,
      amount: item.amount,
      lamports: String(item.lamports),
      price: lamportsToSol(item.lamports),
    })),
    amount,
    lamports: String(lamports),
    price: lamportsToSol(lamports),
    fee: { lamports: String(feeOf(items, terms, excludeSeller)), basisPoints: terms.basisPoints },
    averageUnitPrice: amount === 0 ? null : unitPrice(lamports, amount),
    highestUnitPrice: amount === 0 ? null : Math.max(...unitPrices),
    complete: amount === asked,
  }
}

const UNIT_DIGITS = 18

/** The price of one in SOL, rounded to a billionth of a lamport like a listing's `unitPrice`. */
function unitPrice(lamports: bigint, amount: number): number {
  const count = BigInt(amount)
  const digits = ((lamports * 2_000_000_000n + count) / (2n * count)).toString().padStart(UNIT_DIGITS + 1, '0')
  return Number(`${digits.slice(0, -UNIT_DIGITS)}.${digits.slice(-UNIT_DIGITS)}`)
}

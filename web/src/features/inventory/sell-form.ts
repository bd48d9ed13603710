import { type Body } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { MIN_AMOUNT } from '@juicebar/contract/limits'
import { messages } from '@juicebar/contract/messages'
import { MIN_PRICE_LAMPORTS, nearestLamports, PRICE_STEP_LAMPORTS, solText } from '@juicebar/contract/money'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'

import { type ApiError, serverSentence } from '../../api/api-error.ts'
import { hasCode } from '../../api/refusals.ts'
import { call } from '../../api/client.ts'
import { cheapestQuery, configQuery, refreshMarket } from '../../api/queries.ts'
import { newIdempotencyKey, retryPassing } from '../../api/retry-passing.ts'
import { catalogue } from '../../catalogue/catalogue.ts'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { type Depth, type Level } from '../../figures/figure-queries.ts'
import { listingPriceProblem } from '../../ui/amount/listing-price.ts'
import { formatAmount } from '../../ui/format.ts'

/** The amount, and the price of the whole amount in SOL, as typed. */
interface Offer {
  amount: string
  price: string
}

/** The fields of the sell form. */
export interface SellFields extends Offer {
  /** It may be bought in parts. */
  divisible: boolean
}

export interface SellProblems {
  amount: string | undefined
  price: string | undefined
}

/** True if List Item is disabled: a field is empty or not above 0 (specification, section 5). */
export function isIncomplete({ amount, price }: Offer): boolean {
  return !(Number(amount) > 0) || !(Number(price) > 0)
}

/** True if a field is empty, which is reported when Enter is pressed. */
export function isMissing({ amount, price }: Offer): boolean {
  return amount.trim() === '' || price.trim() === ''
}

/** The problem with each field, as a sentence; an empty field has no problem yet. */
export function sellProblems(fields: SellFields, balance: number): SellProblems {
  return { amount: amountProblem(fields.amount, balance), price: listingPriceProblem(fields) }
}

/** The price of one token in SOL; undefined until both fields hold numbers above 0. */
export function unitPriceOf({ amount, price }: Offer): number | undefined {
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
  return { text: comparison(unit, cheapest, percent) + (farOff ? '. Is this the price you mean?' : ''), farOff }
}

function comparison(unit: number, cheapest: number, percent: number): string {
  const by = `${formatAmount(Math.abs(percent))}%`
  if (unit < cheapest) return `Yours would be the cheapest, by ${percent === 0 ? 'less than 1%' : by}`
  if (unit > cheapest) return `${percent === 0 ? 'Less than 1%' : by} above the lowest price`
  return 'Same as the lowest price'
}

/**
 * The price in SOL of `amount`, as typed, at which each drink costs as much as in another listing, or as little less as the price step
 * requires; at least the lowest price. Undefined for what is no amount.
 */
export function matchingPrice(amount: string, cheapest: { amount: number; lamports: string }): string | undefined {
  const count = Number(amount)
  if (!Number.isSafeInteger(count) || count < MIN_AMOUNT) return undefined
  const exact = (BigInt(cheapest.lamports) * BigInt(count)) / BigInt(cheapest.amount)
  const stepped = exact - (exact % PRICE_STEP_LAMPORTS)
  return solText(stepped < MIN_PRICE_LAMPORTS ? MIN_PRICE_LAMPORTS : stepped)
}

/** How many drinks for sale cost less than a unit price, and so are bought first. */
export function cheaperText({ levels, amount }: Depth, unitPrice: number): string {
  const cheaper = cheaperThan(levels, unitPrice)
  // Only the cheapest prices are known individually.
  const known = levels.reduce((sum, level) => sum + level.amount, 0)
  return cheaper === known && amount > known ? `at least ${formatAmount(cheaper)}` : formatAmount(cheaper)
}

/** How a listing of `amount` tokens changes the inventory. */
export function escrowPreview(tokenType: TokenType, amount: number, balance: number): string {
  return `The listing holds ${formatAmount(amount)} ${catalogue().nameOf(tokenType)} until it is sold or removed; ${formatAmount(balance - amount)} stay in your inventory.`
}

function amountProblem(text: string, balance: number): string | undefined {
  if (text === '') return undefined
  const amount = Number(text)
  if (!Number.isInteger(amount)) return 'Only whole tokens can be sold.'
  if (amount < MIN_AMOUNT) return `Sell at least ${MIN_AMOUNT}.`
  return amount > balance ? `You have ${formatAmount(balance)}.` : undefined
}

/** How many drinks cost less than a unit price in SOL. */
export function cheaperThan(levels: readonly Level[], unitPrice: number): number {
  const lamports = BigInt(nearestLamports(unitPrice))
  return levels.reduce((sum, level) => (BigInt(level.lamports) < lamports ? sum + level.amount : sum), 0)
}

interface Seller {
  walletAddress: string
  /** How many of the drink the wallet has. */
  balance: number
  onListed: () => void
}

/** The sell form for one drink: its fields, their problems, and how its price compares with the market. */
export function useSellForm(tokenType: TokenType, { walletAddress, balance, onListed }: Seller) {
  const [fields, setFields] = useState<SellFields>({ amount: '', price: '', divisible: true })
  const idempotencyKey = useRef('')
  const cheapest = useQuery({ ...cheapestQuery(tokenType, walletAddress), meta: { quiet: true } })
  const { data: config } = useQuery(configQuery)
  const problems = sellProblems(fields, balance)
  const { mutate: createListing, error, reset } = useCreateListing()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isIncomplete(fields)) return
    const problem = problems.amount ?? problems.price
    if (problem) showToast(problem, 'bad')
    else {
      const { divisible } = fields
      const body = { tokenType, price: Number(fields.price), amount: Number(fields.amount), divisible }
      createListing({ body, idempotencyKey: (idempotencyKey.current ||= newIdempotencyKey()) }, { onSuccess: onListed })
    }
  }
  // While List Item is disabled, Enter submits nothing, so missing fields are reported here.
  const tellMissing = () => isMissing(fields) && showToast(messages.fieldsMissing, 'bad')
  return {
    fields,
    change: (change: Partial<SellFields>) => {
      // A new offer gets a new key; the same offer keeps its key, even if the seller tries again.
      idempotencyKey.current = ''
      reset()
      setFields((current) => ({ ...current, ...change }))
    },
    problems,
    disabled: isIncomplete(fields),
    unitPrice: problems.amount || problems.price ? undefined : unitPriceOf(fields),
    cheapest: cheapest.data ?? undefined,
    matching: cheapest.data ? matchingPrice(fields.amount, cheapest.data) : undefined,
    brokenRule: isRuleBroken(error) ? error.message : undefined,
    feeBasisPoints: config?.fee.basisPoints ?? 0,
    submit,
    tellMissing,
  }
}

/** How long to retry without asking the seller, in milliseconds: as long as a planned fail-over of the database takes. */
const PATIENCE_MS = 10_000

interface NewListing {
  body: Body<'createListing'>
  /** The same for every attempt at this offer, so that it is listed once. */
  idempotencyKey: string
}

/** True if a rule of the studio does not allow the offer; another offer may be allowed. */
function isRuleBroken(error: unknown): error is ApiError {
  return hasCode(error, 'RULE_BROKEN')
}

/** Puts drinks up for sale; a failure goes to the banner, except for a broken rule, which is shown beside the offer. */
function useCreateListing() {
  return useMutation({
    meta: { processing: 'Putting your listing on the market' },
    onMutate: dismissBanner,
    mutationFn: ({ body, idempotencyKey }: NewListing) =>
      retryPassing(() => call('createListing', { headers: { 'idempotency-key': idempotencyKey }, body }), PATIENCE_MS),
    onSuccess: () => showToast(messages.listingCreated, 'good'),
    onError: (error) => isRuleBroken(error) || showBanner(serverSentence(error, messages.createFailed)),
    onSettled: refreshMarket,
  })
}

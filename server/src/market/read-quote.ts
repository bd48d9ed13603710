import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Quote } from '@juicebar/contract/schemas'
import { type Chain } from '../chain/chain.ts'
import { type Reads } from '../database/connect.ts'
import { type FeeTerms } from '../purchases/purchase/purchase.ts'
import { delay } from '../runtime/repeat.ts'
import { findCandidates } from './market-store.ts'
import { amountOf, type CanReceive, type Candidate, fillQuote, type QuoteOrder, quoteReply, smallPayees } from './quote.ts'

/** Enough for nearly every quote: twice as many as it may take. */
const FEW = 40
/** For the rest. Reading more would take longer than three pages of the market. */
const MANY = 300
/** An amount that every account can receive: more than the rent-exempt minimum of an empty account, which is 890,880 lamports. */
const SAFE_LAMPORTS = 1_000_000n
/** Their balances are one request to the chain. */
const MAX_PAYEES = 100
/** If the chain does not return a seller's balance in this time, small parts of that seller's listings cannot be sold. */
const PATIENCE_MILLIS = 1_000

export interface QuoteDeps {
  reads: Reads
  chain: Pick<Chain, 'balance' | 'rentExemptMinimum'>
  fee: FeeTerms
}

/** The cheapest way to get an amount in the current market. The chain is asked only if a payment is very small. */
export async function readQuote({ reads, chain, fee }: QuoteDeps, order: QuoteOrder): Promise<Quote> {
  const fillFrom = async (most: number) => {
    const candidates = await findCandidates(reads, order, most)
    const taken = fillQuote(candidates, order.amount, () => true)
    const small = smallPayees(taken, SAFE_LAMPORTS)
    if (small.length === 0) return { taken, found: candidates.length }
    const canReceive = await readPayees(chain, [...small, ...sellersOf(candidates)])
    return { taken: fillQuote(candidates, order.amount, canReceive), found: candidates.length }
  }
  const { taken, found } = await fillFrom(FEW)
  const isDone = amountOf(taken) === order.amount || found < FEW
  return quoteReply(isDone ? taken : (await fillFrom(MANY)).taken, order, fee)
}

function sellersOf(candidates: readonly Candidate[]): WalletAddress[] {
  return candidates.filter(({ divisible, lamports }) => divisible || lamports < SAFE_LAMPORTS).map(({ seller }) => seller)
}

/** Reads the balances of the first of these wallets. A wallet whose balance is unknown counts as empty. */
async function readPayees(chain: QuoteDeps['chain'], wallets: readonly WalletAddress[]): Promise<CanReceive> {
  const owned = new Map<WalletAddress, bigint>()
  let least: bigint | undefined
  const asked = [...new Set(wallets)].slice(0, MAX_PAYEES)
  const reading = Promise.allSettled([
    chain.rentExemptMinimum().then((lamports) => (least = lamports)),
    ...asked.map(async (wallet) => owned.set(wallet, await chain.balance(wallet))),
  ])
  const done = new AbortController()
  await Promise.race([reading, delay(PATIENCE_MILLIS, done.signal)])
  done.abort()
  const known = least
  return (seller, lamports) =>
    lamports >= SAFE_LAMPORTS || (known !== undefined && (lamports >= known || (owned.get(seller) ?? 0n) + lamports >= known))
}

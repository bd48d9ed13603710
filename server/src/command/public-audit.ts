import { setTimeout as sleep } from 'node:timers/promises'
import { type Signature } from '@juicebar/contract/addresses'
import { MAX_LISTINGS_PAGE, MAX_SALES_PAGE } from '@juicebar/contract/limits'
import { figureCalls } from '@juicebar/contract/schemas/figures/figure-calls'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type HistoryWalk } from '../purchases/reconciliation/history-walk.ts'

/** What anybody can read of a market. */
export interface PublicMarket {
  /** The keys that sign its payments, present and former. */
  keys(): Promise<string[]>
  /** Its co-signed trades since a moment, summed by payment. */
  trades(sinceMillis: number): Promise<Map<Signature, TradedPayment>>
  /** The payments that became cases, after a place in their order; all of them if the market no longer knows that place. */
  unmatched(after: string | undefined): Promise<{ signatures: Signature[]; next: string }>
}

const ConfigSchema = Type.Object({ coSigner: Type.Union([Type.String(), Type.Null()]), formerCoSigners: Type.Array(Type.String()) })
const TradesSchema = figureCalls.trades.response[200]
const UnmatchedSchema = figureCalls.unmatched.response[200]
/** A market that is asked too often says for how long to wait. */
const MAX_WAIT_SECONDS = 60
const CONFLICT = 409
const TOO_MANY_REQUESTS = 429

/** The public API of a market. Every call throws an Error with a sentence if the market does not answer as Juicebar does. */
export function connectMarket(origin: string): PublicMarket {
  return {
    keys: async () => {
      const { coSigner, formerCoSigners } = await ask(origin, '/api/config', ConfigSchema)
      return [...new Set([...(coSigner === null ? [] : [coSigner]), ...formerCoSigners])]
    },
    trades: (since) => readTrades(origin, since),
    unmatched: async (after) => {
      try {
        return await readUnmatched(origin, after)
      } catch (error) {
        if (after === undefined || !(error instanceof Refused && error.status === CONFLICT)) throw error
        return readUnmatched(origin, undefined)
      }
    },
  }
}

async function readTrades(origin: string, sinceMillis: number): Promise<Map<Signature, TradedPayment>> {
  const paid = new Map<Signature, TradedPayment>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = new URLSearchParams({ limit: String(MAX_LISTINGS_PAGE), ...(cursor && { cursor }) }).toString()
    const page: Static<typeof TradesSchema> = await ask(origin, `/api/marketplace/trades?${query}`, TradesSchema)
    for (const trade of page.trades.filter(({ coSigned }) => coSigned)) {
      const since = Date.parse(trade.settledAt)
      const sum = paid.get(trade.signature as Signature)?.lamports ?? 0n
      paid.set(trade.signature as Signature, { lamports: sum + BigInt(trade.lamports) + BigInt(trade.feeLamports), since })
    }
    const last = page.trades.at(-1)
    // All items of a payment are of the same time.
    if (last && Date.parse(last.settledAt) < sinceMillis) break
    if (page.nextCursor === cursor) throw new Error(`The market at ${origin} repeats its trades.`)
    cursor = page.nextCursor
  }
  return new Map([...paid].filter(([, { since }]) => since >= sinceMillis))
}

async function readUnmatched(origin: string, from: string | undefined): Promise<{ signatures: Signature[]; next: string }> {
  const signatures: Signature[] = []
  let after = from
  for (;;) {
    const query = new URLSearchParams({ limit: String(MAX_SALES_PAGE), ...(after !== undefined && { after }) }).toString()
    const { payments, next } = await ask(origin, `/api/marketplace/unmatched?${query}`, UnmatchedSchema)
    signatures.push(...payments.map(({ signature }) => signature as Signature))
    if (payments.length === 0 || next === after) return { signatures, next }
    after = next
  }
}

class Refused extends Error {
  readonly status: number

  constructor(sentence: string, status: number) {
    super(sentence)
    this.status = status
  }
}

async function ask<Schema extends TSchema>(origin: string, path: string, schema: Schema): Promise<Static<Schema>> {
  const url = new URL(path, origin)
  const reply = await fetch(url).catch((cause: unknown) => {
    throw new Error(`The market does not answer at ${origin}.`, { cause })
  })
  if (reply.status === TOO_MANY_REQUESTS) {
    await sleep(Math.min(MAX_WAIT_SECONDS, Math.max(1, Number(reply.headers.get('retry-after')) || 1)) * 1_000)
    return ask(origin, path, schema)
  }
  if (!reply.ok) throw new Refused(`The market at ${origin} refused ${url.pathname} with status ${reply.status}.`, reply.status)
  const body: unknown = await reply.json().catch(() => undefined)
  if (!Compile(schema).Check(body)) throw new Error(`The market at ${origin} does not answer ${url.pathname} as this version does.`)
  return body
}

/** A payment that a key of the market has signed, as the chain shows it. */
export interface SignedPayment {
  /** Everything that it moved, in lamports. */
  lamports: bigint
  /** When it landed, or else when an audit first saw it, in milliseconds. */
  since: number
}

/** The co-signed trades of one payment, as the market tells of them. */
export interface TradedPayment {
  /** Of all of them together, with the fee. */
  lamports: bigint
  /** When they were delivered, in milliseconds. */
  since: number
}

/** How far the public audits of a market have come. */
export interface PublicAudit {
  market: string
  genesisHash: string
  /** The keys that the market has ever told of, and how far the chain's history of each was read. */
  keys: Map<string, HistoryWalk>
  /** On the chain, and not matched yet. */
  signed: Map<Signature, SignedPayment>
  /** Trades of the market, not matched yet. */
  traded: Map<Signature, TradedPayment>
  /** Matched lately: trades that are read again are known by it. */
  matched: Map<Signature, number>
  matchedCount: number
  /** Became cases. */
  excused: Set<Signature>
  /** Trades up to this moment have been read, in milliseconds. */
  tradesReadTo: number
  /** Where to go on reading the payments that became cases. */
  unmatchedAfter: string | undefined
}

export interface PublicFindings {
  violations: string[]
  pending: string[]
}

/** A market tells of a payment within this time. */
const TELLING_MILLIS = 60_000
/** A payment is delivered before it is final, and read when it is final and listed: that takes less than a minute on Solana's clusters. */
const FINALITY_MILLIS = 180_000
/** Trades get their place in the list a moment after the time that they show. */
const OVERLAP_MILLIS = 10 * 60_000

export function beginPublicAudit(market: string, genesisHash: string): PublicAudit {
  const none = { matchedCount: 0, tradesReadTo: 0, unmatchedAfter: undefined }
  return { market, genesisHash, keys: new Map(), signed: new Map(), traded: new Map(), matched: new Map(), excused: new Set(), ...none }
}

/** From which moment on trades have to be read: those of payments that wait for theirs, too. */
export function tradesNeededSince({ tradesReadTo, signed }: PublicAudit): number {
  let since = tradesReadTo
  for (const payment of signed.values()) since = Math.min(since, payment.since)
  return since - OVERLAP_MILLIS
}

/** Takes note of trades that were read from the newest down to the needed moment. */
export function addTrades(audit: PublicAudit, traded: ReadonlyMap<Signature, TradedPayment>): void {
  for (const [signature, payment] of traded) {
    if (!audit.matched.has(signature) || audit.signed.has(signature)) audit.traded.set(signature, payment)
    audit.tradesReadTo = Math.max(audit.tradesReadTo, payment.since)
  }
}

/** Settles what both sides tell alike, and what became a case. */
export function matchPayments(audit: PublicAudit): void {
  const { signed, traded, excused } = audit
  for (const [signature, payment] of signed) {
    const trades = traded.get(signature)
    if (trades?.lamports === payment.lamports) {
      noteMatch(audit, signature, trades)
    } else if (!trades && excused.has(signature)) signed.delete(signature)
  }
  const oldest = audit.tradesReadTo - OVERLAP_MILLIS
  for (const [signature, since] of audit.matched) if (since < oldest) audit.matched.delete(signature)
}

/** A payment is as its trades tell. */
export function noteMatch(audit: PublicAudit, signature: Signature, { since }: TradedPayment): void {
  audit.signed.delete(signature)
  audit.traded.delete(signature)
  audit.matched.set(signature, since)
  audit.matchedCount += 1
}

/** The trades that the chain must show by now, although its history did not. */
export function overdueTrades({ signed, traded, excused }: PublicAudit, now: number): Signature[] {
  const isOverdue = (signature: Signature, { since }: TradedPayment) =>
    !signed.has(signature) && !excused.has(signature) && now - since >= FINALITY_MILLIS
  return [...traded].filter(([signature, trades]) => isOverdue(signature, trades)).map(([signature]) => signature)
}

/** What is left once everything that agrees is matched. */
export function findingsOf({ signed, traded, excused }: PublicAudit, now: number): PublicFindings {
  const findings: PublicFindings = { violations: [], pending: [] }
  for (const [signature, { lamports, since }] of signed) {
    const trades = traded.get(signature)
    if (trades) findings.violations.push(`${signature} moved ${lamports} lamports on the chain, and its trades tell of ${trades.lamports}`)
    else if (now - since < TELLING_MILLIS) findings.pending.push(`${signature} is no trade and no case yet`)
    else findings.violations.push(`${signature} was signed by the market, and is neither a trade nor a case`)
  }
  for (const [signature, { lamports, since }] of traded) {
    if (signed.has(signature) || excused.has(signature)) continue
    if (now - since < FINALITY_MILLIS) findings.pending.push(`${signature} is a trade, and not final on the chain yet`)
    else findings.violations.push(`${signature} is told as a co-signed trade of ${lamports} lamports, and the chain does not show that`)
  }
  return findings
}

import { type Signature } from '@juicebar/contract/addresses'

import { type HistoryWalk } from '../purchases/reconciliation/co-signer/history-walk.ts'

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

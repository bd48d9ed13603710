import { type LandedTransaction } from '../../chaos/checks/chain-record.ts'
import { type ProductRecord } from '../../chaos/checks/product-record.ts'
import { type Answer } from '../../chaos/players/api-client.ts'

/** What clients asked a market and heard, what the chain shows, and what the market shows everybody in the end. */
export interface History {
  /** What the studio gave each wallet; the key is `wallet token`. */
  credits: ReadonlyMap<string, number>
  /** In the order in which they were made. */
  calls: readonly RecordedCall[]
  /** Those that succeeded, by signature. */
  landed: ReadonlyMap<string, LandedTransaction>
  /** Read when nothing is under way any more. */
  end: ProductRecord
}

/** A call of a session, which is one wallet's. */
export type RecordedCall = Asked & {
  session: string
  /** By one clock for all sessions, in milliseconds. */
  startedAt: number
  /** Infinite if the client did not wait for the answer: the market may have done it at any time since, or not at all. */
  endedAt: number
  answer: Answer | undefined
}

export type Asked =
  | { kind: 'list'; listing: ListingTerms }
  | { kind: 'price'; listing: string; lamports: bigint }
  | { kind: 'remove'; listing: string }
  | { kind: 'read'; listing: string }
  /** A signed payment for so much of a listing. */
  | { kind: 'pay'; listing: string; amount: number }
  /** How a purchase stands. */
  | { kind: 'follow'; purchase: string }

/** What a seller asks for. A listing that is divisible keeps its price, so that each drink costs the same whatever was sold before. */
export interface ListingTerms {
  tokenType: string
  amount: number
  /** For all of it. */
  lamports: bigint
  divisible: boolean
}

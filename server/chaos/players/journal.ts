/** A hold, or a reservation, that a buyer got. */
export interface JournalHold {
  /** How many items it has. */
  items: number
  /** When its buyer heard of it, in Unix milliseconds. */
  answeredAt: number
  /** How the buyer pays and where the client crashed, to explain slow deliveries. */
  story: string
}

/** A transaction that a client signed. From then on it can land, even if the client crashes. */
export interface JournalPayment {
  signature: string
  /** The purchase that it is meant for. Undefined if only the market can send it: its purchase is then the one that has it. */
  purchaseId: string | undefined
  /** Set if it is the refund of a case. */
  caseId: string | undefined
  signedAt: number
  /** Undefined for a refund. */
  agreed?: AgreedTerms
}

/** What its buyer agreed to pay, whatever the transaction moves. */
export interface AgreedTerms {
  /** As the market offered them. */
  transfers: readonly { to: string; lamports: string }[]
  /** The most in all, as the market showed it before; undefined if its buyer set no limit. */
  most: bigint | undefined
  /** The checkout that it is for, by the game's own name. */
  checkout: string | undefined
}

/** What the game's server asked for. */
export interface JournalCheckout {
  tokenType: string
  amount: number
  maxLamports: bigint | undefined
  wallet: string | undefined
  /** Once the game's server knows it. */
  id: string | undefined
  /** The market said that nobody can pay it any more. */
  isEnded: boolean
}

/** What the clients know of the payments that only the market can send, by signature. */
export interface CoSignedPayments {
  /** Refused for good: these must never land. */
  refused: Map<string, string>
  /** Never submitted, or sent to the chain as they were: these cannot land. */
  kept: Set<string>
  /** A second signature of a message, and its first one. */
  copies: Map<string, string>
}

/** What the product said that it had done, by id. */
export interface Acknowledged {
  /** When, in Unix milliseconds. */
  listed: Map<string, number>
  removed: Set<string>
  /** How many prices were changed. */
  priced: number
  /** Purchases whose payment was confirmed. */
  delivered: Set<string>
}

/** What the clients of a run did, written before they do it. The checks compare it with what the product says. */
export interface Journal {
  /** By the purchase's id. */
  holds: Map<string, JournalHold>
  payments: Map<string, JournalPayment>
  /** By the game's own name for each. */
  checkouts: Map<string, JournalCheckout>
  coSigned: CoSignedPayments
  /** Transfers between a buyer and another wallet of its own, by signature. */
  drains: Set<string>
  acknowledged: Acknowledged
  /** Tokens that the studio credited; the key is `wallet token`. */
  credits: Map<string, number>
  /** How often each error code was returned. */
  refusals: Map<string, number>
  /** How often clients crashed at each step. */
  crashes: Map<string, number>
  /** Answers that no client should ever get. */
  unexpected: string[]
  /** How often buyers tried to buy something. */
  attempts: number
}

export function createJournal(): Journal {
  return {
    holds: new Map(),
    payments: new Map(),
    checkouts: new Map(),
    coSigned: { refused: new Map(), kept: new Set(), copies: new Map() },
    drains: new Set(),
    acknowledged: { listed: new Map(), removed: new Set(), priced: 0, delivered: new Set() },
    credits: new Map(),
    refusals: new Map(),
    crashes: new Map(),
    unexpected: [],
    attempts: 0,
  }
}

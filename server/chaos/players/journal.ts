/** A hold that a client was given. */
export interface HeldPurchase {
  purchaseId: string
  listingId: string
  buyer: string
  seller: string
  lamports: bigint
  /** How its buyer pays, and where the client died, for those who look for what was slow. */
  story: string
}

/** A transaction that a client signed: from then on it may land, whatever becomes of the client. */
export interface SignedPayment {
  signature: string
  /** The purchase that it is meant for. */
  purchaseId: string
  /** Set where it is the refund of a case. */
  caseId: string | undefined
  signedAt: number
}

/** What the clients of a run did, noted before they do it: the other side of what the product says. */
export interface Journal {
  holds: Map<string, HeldPurchase>
  payments: Map<string, SignedPayment>
  /** Tokens credited to each wallet by the studio, `wallet token` as the key. */
  credits: Map<string, number>
  /** How often each refusal was met, and each way in which a client died. */
  refusals: Map<string, number>
  deaths: Map<string, number>
  /** Answers that no client should ever get. */
  surprises: string[]
  /** Times that buyers tried to buy a lot. */
  attempts: number
}

export function createJournal(): Journal {
  return {
    holds: new Map(),
    payments: new Map(),
    credits: new Map(),
    refusals: new Map(),
    deaths: new Map(),
    surprises: [],
    attempts: 0,
  }
}

export function tally(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

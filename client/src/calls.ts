// Written by "npm run schema" from the contract: change that instead.
/* oxlint-disable */

/** What each call takes and returns. */
export interface Calls {
  /** Credit tokens to a wallet. */
  studioCredit: {
    input: {
      body: StudioOrderRequest
    }
    reply: {
      credit: StudioOrder
      /** How many drinks of this kind the wallet has after it, without those in its active listings */
      balance: number
    }
  }
  /** Debit tokens from a wallet. */
  studioDebit: {
    input: {
      body: StudioOrderRequest
    }
    reply: {
      debit: StudioOrder
      /** How many drinks of this kind the wallet has after it, without those in its active listings */
      balance: number
    }
  }
  /** Credit and debit many wallets in one call. */
  studioOrders: {
    input: {
      body: StudioOrdersRequest
    }
    reply: {
      results: OrderResult[]
    }
  }
  /** Make a studio key. */
  createStudioKey: {
    input: {
      body: StudioKeyRequest
    }
    reply: {
      key: NewStudioKey
    }
  }
  /** List the studio keys. */
  studioKeys: {
    input: {
      query?: {
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: {
      keys: StudioKey[]
      nextCursor: string | null
    }
  }
  /** Revoke a studio key. */
  revokeStudioKey: {
    input: {
      params: {
        /** The key: a UUID */
        id: string
      }
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      key: StudioKey
    }
  }
  /** Read who is calling the studio API, and what they may do. */
  studioMe: {
    input: {

    }
    reply: {
      me: StudioMe
    }
  }
  /** List the staff. */
  studioStaff: {
    input: {

    }
    reply: {
      staff: Staff[]
    }
  }
  /** Read whether a wallet is on the staff, and what it may do. */
  readStaff: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet: string
      }
    }
    reply: {
      staff: Staff | null
    }
  }
  /** Add a wallet to the staff, or change its permissions. */
  setStaff: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet: string
      }
      body?: null | StaffRequest
    }
    reply: {
      staff: Staff
    }
  }
  /** Remove a wallet from the staff. */
  removeStaff: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet: string
      }
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      staff: null
    }
  }
  /** Request the text that a wallet of the staff signs for one call. */
  requestChallenge: {
    input: {
      body: ChallengeRequest
    }
    reply: {
      challenge: Challenge
    }
  }
  /** Read who did what through the studio API. */
  studioLog: {
    input: {
      query?: {
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: {
      log: LogEntry[]
      nextCursor: string | null
    }
  }
  /** List all cases. */
  studioCases: {
    input: {
      query?: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet?: string
        /** Only these; `open` by default */
        status?: CaseStatusFilter
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: CasesPage
  }
  /** Close a case with a note for buyer and seller. */
  closeCase: {
    input: {
      body: CaseClosure
    }
    reply: {
      case: Case
    }
  }
  /** Make a checkout: send the player to its `url` to pay for an item of your game. */
  createCheckout: {
    input: {
      body: NewCheckout
    }
    reply: {
      checkout: Checkout
    }
  }
  /** List checkouts. */
  studioCheckouts: {
    input: {
      query?: {
        /** `open`: the player may pay. `paying`: a payment is reserved, or a hold placed. `completed`: paid and delivered. `expired`: nobody paid in time. A payment that ends unpaid opens it again, or expires it. */
        status?: CheckoutStatus
        /** Only those with this name of yours */
        clientReference?: string
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: {
      checkouts: Checkout[]
      nextCursor: string | null
    }
  }
  /** Read a checkout. */
  studioCheckout: {
    input: {
      params: {
        /** The checkout: a UUID */
        id: string
      }
    }
    reply: {
      checkout: Checkout
    }
  }
  /** End a checkout that nobody has paid. */
  expireCheckout: {
    input: {
      params: {
        /** The checkout: a UUID */
        id: string
      }
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      checkout: Checkout
    }
  }
  /** Learn why a checkout was not completed. */
  checkoutAttempts: {
    input: {
      params: {
        /** The checkout: a UUID */
        id: string
      }
    }
    reply: {
      openedAt: string | null
      attempts: CheckoutAttempt[]
    }
  }
  /** Follow all sales. */
  studioSales: {
    input: {
      query?: {
        /** The `next` of the reply before; leave it out to begin */
        after?: string
        /** Most items in one page */
        limit?: number
      }
    }
    reply: SalesPage
  }
  /** Read what a player has and does. */
  studioPlayer: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        walletAddress: string
      }
    }
    reply: {
      player: Player
    }
  }
  /** Find purchases, with what happened to them. */
  studioPurchases: {
    input: {
      query?: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet?: string
        /** Only what this transaction touched: 64 bytes in base58 */
        signature?: string
        /** Only purchases of this listing */
        listingId?: string
        /** `held`: the listing waits for this buyer’s payment, or is reserved for one that is under way. `settled`: paid and delivered. `ended`: no payment counted, and `endReason` says why. */
        status?: PurchaseStatus
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: StudioPurchasesPage
  }
  /** Read one purchase, with what happened to it. */
  studioPurchase: {
    input: {
      params: {
        /** The purchase: a UUID */
        id: string
      }
    }
    reply: {
      purchase: StudioPurchase
    }
  }
  /** Read what was sold, credited and debited. */
  studioStats: {
    input: {
      query?: {
        /** The first moment, as a date (in UTC) or a time; by default 30 days before `to`, or 48 hours by hour */
        from?: string
        /** The moment after the last, as a date (in UTC) or a time; by default now */
        to?: string
        /** What a row is of; `day` by default */
        group?: StatsGroup
      }
    }
    reply: Stats
  }
  /** Release a hold that nobody can prove to be unpaid, with a reason for buyer and seller. */
  releasePurchase: {
    input: {
      params: {
        /** The purchase: a UUID */
        id: string
      }
      body: Release
    }
    reply: {
      purchase: Purchase
    }
  }
  /** Audit the market in one call. */
  audit: {
    input: {

    }
    reply: AuditReport
  }
  /** Start an audit: check that all tokens and payments add up. */
  startAudit: {
    input: {
      body?: null | AuditRequest
    }
    reply: {
      audit: Audit
    }
  }
  /** List the audits, and what each found. */
  audits: {
    input: {
      query?: {
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: {
      audits: AuditSummary[]
      nextCursor: string | null
    }
  }
  /** Read the progress and the findings of an audit. */
  readAudit: {
    input: {
      params: {
        /** The audit: a UUID */
        id: string
      }
    }
    reply: {
      audit: Audit
    }
  }
  /** Look on the chain for payments that a restored database has lost. */
  startRecovery: {
    input: {
      body?: null | RecoveryRequest
    }
    reply: {
      recovery: Recovery
    }
  }
  /** Read the progress and the findings of a recovery. */
  readRecovery: {
    input: {
      params: {
        /** The recovery: a UUID */
        id: string
      }
    }
    reply: {
      recovery: Recovery
    }
  }
  /** Open the market although a recovery has opened cases or could not check everything. */
  acceptRecovery: {
    input: {
      params: {
        /** The recovery: a UUID */
        id: string
      }
      body: RecoveryAcceptance
    }
    reply: {
      recovery: Recovery
    }
  }
  /** Have events posted to an address of yours. */
  createWebhook: {
    input: {
      body: NewWebhook
    }
    reply: {
      webhook: CreatedWebhook
    }
  }
  /** List your webhooks, and how far each has come. */
  webhooks: {
    input: {
      query?: {
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: WebhooksPage
  }
  /** Switch a webhook off, or on again. */
  changeWebhook: {
    input: {
      params: {
        /** The webhook: a UUID */
        id: string
      }
      body: WebhookChange
    }
    reply: {
      webhook: Webhook
    }
  }
  /** Delete a webhook, its secrets and the record of its deliveries. */
  deleteWebhook: {
    input: {
      params: {
        /** The webhook: a UUID */
        id: string
      }
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      webhook: Webhook
    }
  }
  /** Rotate a webhook’s secret. */
  rotateWebhook: {
    input: {
      params: {
        /** The webhook: a UUID */
        id: string
      }
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      webhook: RotatedWebhook
    }
  }
  /** List what was sent to a webhook, and what it answered. */
  webhookDeliveries: {
    input: {
      params: {
        /** The webhook: a UUID */
        id: string
      }
      query?: {
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: DeliveriesPage
  }
  /** Send everything again that came after a message. */
  replayWebhook: {
    input: {
      params: {
        /** The webhook: a UUID */
        id: string
      }
      body: Replay
    }
    reply: {
      webhook: Webhook
    }
  }
  /** Read whether the market is paused. */
  readPause: {
    input: {

    }
    reply: {
      pause: Pause | null
    }
  }
  /** Pause the market, with a message to players. */
  pauseMarket: {
    input: {
      body: PauseRequest
    }
    reply: {
      pause: Pause
    }
  }
  /** Open the market again. */
  resumeMarket: {
    input: {
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      pause: Pause | null
    }
  }
  /** List the wallets that are blocked. */
  studioBlocks: {
    input: {
      query?: {
        /** Most items in one page */
        limit?: number
        /** The `nextCursor` of the page before; leave it out for the first page */
        cursor?: string
      }
    }
    reply: {
      blocks: Block[]
      nextCursor: string | null
    }
  }
  /** Read whether a wallet is blocked. */
  readBlock: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet: string
      }
    }
    reply: {
      block: Block | null
    }
  }
  /** Block a wallet, with a reason for its player. */
  blockWallet: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet: string
      }
      body: BlockRequest
    }
    reply: {
      block: Block
      /** How many listings this call took back */
      removedListings: number
    }
  }
  /** End the block of a wallet. */
  unblockWallet: {
    input: {
      params: {
        /** A Solana wallet address: a public key of 32 bytes in base58 */
        wallet: string
      }
      query?: {
        /** Why, for the studio’s log */
        reason?: string
      }
    }
    reply: {
      block: Block | null
    }
  }
  /** Read the rules of the drinks. */
  readRules: {
    input: {

    }
    reply: {
      rules: Rule[]
    }
  }
  /** Set the rules of the drinks. */
  setRules: {
    input: {
      body: RulesRequest
    }
    reply: {
      rules: Rule[]
    }
  }
}

/** What a webhook is told. */
export type WebhookMessage =
  | { type: 'sale.settled'; timestamp: string; data: Sale }
  | { type: 'sale.reversed'; timestamp: string; data: Sale }
  | { type: 'checkout.completed'; timestamp: string; data: {
  checkout: Checkout
} }
  | { type: 'checkout.expired'; timestamp: string; data: {
  checkout: Checkout
} }
  | { type: 'case.opened'; timestamp: string; data: Case }
  | { type: 'case.closed'; timestamp: string; data: Case }
  | { type: 'listing.created'; timestamp: string; data: Listing }
  | { type: 'listing.removed'; timestamp: string; data: Listing }

/** `paying`: under way. `delivered`: it was paid. `unpaid`: it was reserved or held, and no payment counted. `refused`: the market did not send the signed payment. */
export type AttemptOutcome = 'paying' | 'delivered' | 'unpaid' | 'refused'

export interface Audit {
  /** The audit */
  id: string
  status: AuditStatus
  /** Whether every payment is read again, whatever earlier audits verified */
  full: boolean
  /** When it was started */
  startedAt: string
  startedBy: string | null
  finishedAt: string | null
  progress: AuditProgress
  ok: boolean | null
  /** How many violations there are in all */
  violationCount: number
  /** How much could not be checked in all */
  uncheckedCount: number
  /** The first hundred */
  violations: Violation[]
  /** What could not be checked, and why: the first hundred */
  unchecked: string[]
  /** Empty until the ledger has been checked */
  tokens: TokenAudit[]
  purchases: PurchaseAudit | null
  revenue: Revenue | null
}

/** How many of the payments that it checks have been checked */
export interface AuditProgress {
  checked: number
  total: number
}

export interface AuditReport {
  /** Whether everything that was checked adds up */
  ok: boolean
  /** When the audit ended */
  checkedAt: string
  tokens: TokenAudit[]
  purchases: PurchaseAudit
  revenue: Revenue
  /** The first hundred */
  violations: Violation[]
  /** What could not be checked, and why: the first hundred */
  unchecked: string[]
}

export interface AuditRequest {
  /** Read every payment again */
  full?: boolean
  /** Why, for the studio’s log */
  reason?: string
}

export type AuditStatus = 'running' | 'done'

export interface AuditSummary {
  /** The audit */
  id: string
  status: AuditStatus
  /** Whether every payment is read again, whatever earlier audits verified */
  full: boolean
  /** When it was started */
  startedAt: string
  startedBy: string | null
  finishedAt: string | null
  progress: AuditProgress
  ok: boolean | null
  /** How many violations there are in all */
  violationCount: number
  /** How much could not be checked in all */
  uncheckedCount: number
}

export interface Block {
  /** Whose wallet: an address in base58 */
  walletAddress: string
  /** Why, for the player to read */
  reason: string
  until: string | null
  /** Its listings were taken back, and so are those that buyers held, if they do not pay */
  removeListings: boolean
  /** Since when */
  since: string
  /** Whose key or wallet it was */
  actor: string
}

export interface BlockRequest {
  /** Why, for the player to read */
  reason: string
  /** When the block ends by itself, in ISO 8601 with an offset; without it, only a call ends it */
  until?: string
  /** Take the wallet’s listings off the market: the drinks return to it. What is being bought stays until it is sold or its hold ends. */
  removeListings?: boolean
}

export interface Case {
  /** The case */
  caseId: string
  /** `late`: landed after the hold had ended. `wrong`: another amount or shape than agreed. `double`: a second payment for one purchase. `vanished`: the network dropped a payment for which tokens had moved. `lost`: found on the chain after a restore of the database, which no longer has the purchase: nobody knows which drinks it was for, and until the case is closed the seller’s listings are neither sold nor returned. */
  kind: CaseKind
  /** `open` and `refunding` wait for someone; the others are closed. */
  status: CaseStatus
  /** What happened and what to do, for people */
  explanation: string
  purchaseId: string | null
  listingId: string | null
  /** Who paid: an address in base58 */
  buyer: string
  seller: string | null
  tokenType: string | null
  tokenName: string | null
  amount: number | null
  /** What the seller received, in SOL */
  price: number
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  agreedLamports: string | null
  fee: OwedFee | null
  /** The payment’s transaction */
  signature: string
  refundSignature: string | null
  /** The seller may refund it now */
  refundable: boolean
  /** When the server found the payment */
  openedAt: string
  closedAt: string | null
  note: string | null
}

export interface CaseClosure {
  /** The case */
  caseId: string
  /** What was done, for both sides to read */
  note: string
}

/** `late`: landed after the hold had ended. `wrong`: another amount or shape than agreed. `double`: a second payment for one purchase. `vanished`: the network dropped a payment for which tokens had moved. `lost`: found on the chain after a restore of the database, which no longer has the purchase: nobody knows which drinks it was for, and until the case is closed the seller’s listings are neither sold nor returned. */
export type CaseKind = 'late' | 'wrong' | 'double' | 'vanished' | 'lost'

/** `open` and `refunding` wait for someone; the others are closed. */
export type CaseStatus = 'open' | 'refunding' | 'delivered' | 'refunded' | 'closed'

/** Only these; `open` by default */
export type CaseStatusFilter = 'open' | 'refunding' | 'delivered' | 'refunded' | 'closed' | 'all'

export interface CasesPage {
  cases: Case[]
  nextCursor: string | null
}

export interface Challenge {
  /** The challenge, for the header `Studio-Challenge` */
  id: string
  /** What the wallet signs, byte for byte: it says in words what will be done */
  message: string
  /** Until when the signature is accepted */
  expiresAt: string
  /** The milliseconds until then */
  millisLeft: number
}

export interface ChallengeRequest {
  /** Its method */
  method: SignedMethod
  /** Its path from `/api/` on, with its query */
  path: string
  /** Its body, byte for byte; left out if it has none */
  body?: string
}

export interface Checkout {
  /** The checkout: what your server knows it by */
  id: string
  /** Where the player pays: whoever has it may */
  url: string
  /** `open`: the player may pay. `paying`: a payment is reserved, or a hold placed. `completed`: paid and delivered. `expired`: nobody paid in time. A payment that ends unpaid opens it again, or expires it. */
  status: CheckoutStatus
  /** What the API calls a drink */
  tokenType: string
  /** How many */
  amount: number
  maxLamports: string | null
  wallet: string | null
  clientReference: string | null
  /** Where the player returns to, as the page shows it */
  returnUrl: string
  /** Until when a payment may be reserved for it */
  expiresAt: string
  purchaseId: string | null
  buyer: string | null
  lamports: string | null
  signature: string | null
  /** When it was made */
  createdAt: string
}

export interface CheckoutAttempt {
  /** When the wallet tried */
  at: string
  /** The wallet that tried to pay */
  wallet: string
  /** `paying`: under way. `delivered`: it was paid. `unpaid`: it was reserved or held, and no payment counted. `refused`: the market did not send the signed payment. */
  outcome: AttemptOutcome
  reason: string | null
  purchaseId: string | null
}

/** `open`: the player may pay. `paying`: a payment is reserved, or a hold placed. `completed`: paid and delivered. `expired`: nobody paid in time. A payment that ends unpaid opens it again, or expires it. */
export type CheckoutStatus = 'open' | 'paying' | 'completed' | 'expired'

export interface CreatedWebhook {
  /** The webhook */
  id: string
  /** Where messages are posted */
  url: string
  events: WebhookEvent[]
  /** Whether messages are sent. While they are not, they wait, for 30 days */
  enabled: boolean
  switchedOff: SwitchOffReason | null
  /** At the oldest message that is not delivered */
  failedAttempts: number
  nextAttemptAt: string | null
  waitingSince: string | null
  /** How many secrets are valid: two for 24 hours after a rotation */
  secretCount: number
  /** When the webhook was made */
  createdAt: string
  /** What messages are signed with, `whsec_` and 32 bytes in base64. It is shown this once: no call returns it again */
  secret: string
}

export interface DeliveriesPage {
  deliveries: Delivery[]
  nextCursor: string | null
}

export interface Delivery {
  /** The attempt */
  id: string
  /** The message: its `webhook-id` */
  messageId: string
  /** `sale.settled`: drinks were paid and delivered. `sale.reversed`: the chain has undone the payment. `checkout.completed`: a checkout was paid and delivered. `checkout.expired`: nobody paid it in time. `case.opened`, `case.closed`: a payment that did not end in a delivery. `listing.created`, `listing.removed`: it entered the market, or left it unsold. */
  type: WebhookEvent
  /** The first is 1 */
  attempt: number
  /** When it was sent */
  sentAt: string
  /** Until the answer had arrived, or the attempt was given up */
  latencyMillis: number
  /** Whether the answer had a status from 200 to 299 */
  delivered: boolean
  status: number | null
  error: string | null
  /** The first 1,024 bytes of its body, as text */
  answer: string
}

/** `cancelled`: by the buyer. `lapsed`: the time to pay ran out. `expired`: the submitted payment can no longer land. `failed`: the chain carried the payment out without effect, so no SOL moved. `chain_gone`: the local chain was restarted. `released`: the studio ended the hold, and `releaseReason` says why. */
export type EndReason = 'cancelled' | 'lapsed' | 'expired' | 'failed' | 'chain_gone' | 'released'

/** What the buyer pays the studio on top, in the same transaction */
export interface Fee {
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  /** Its rate in hundredths of a percent */
  basisPoints: number
}

export interface Listing {
  /** The listing */
  _id: string
  /** Who sells it and receives the SOL: an address in base58 */
  seller: string
  /** What players call a drink */
  tokenName: string
  /** What the API calls a drink */
  tokenType: string
  /** How many drinks */
  amount: number
  /** The whole listing, in SOL */
  price: number
  /** The same, in lamports */
  lamports: string
  /** One drink, in SOL */
  unitPrice: number
  /** Whether a buyer may take a part of it */
  divisible: boolean
  /** The listing that this part was split from. Left out for a whole listing */
  partOf?: string
  status: ListingStatus
  heldUntil: string | null
  /** True while only the studio can end its hold: nobody can prove whether it was paid. Else left out */
  waitsForStudio?: boolean
  /** When it was put up for sale */
  createdAt: string
}

export type ListingStatus = 'active' | 'sold' | 'removed'

export interface LogEntry {
  /** The entry */
  id: string
  /** The name of the key that was used; `root key` is `STUDIO_API_KEY`. Of the staff: the wallet */
  key: string
  wallet: string | null
  /** The call: its `operationId` in this document */
  call: string
  /** What it changed: the wallet, the case, the purchase, the key and so on */
  subject: string
  orderId: string | null
  order: LoggedOrder | null
  reason: string | null
  /** When */
  time: string
}

export interface LoggedOrder {
  /** Whether drinks entered or left the market */
  direction: 'credit' | 'debit'
  /** What the API calls a drink */
  tokenType: string
  /** How many drinks */
  amount: number
}

export interface NewCheckout {
  tokenType: string
  amount: number
  /** The most that the player may pay in all, the fee included */
  maxLamports?: string
  /** A Solana wallet address: a public key of 32 bytes in base58 */
  wallet?: string
  /** Your own name for it, such as an order number: replies, sales and webhooks carry it */
  clientReference?: string
  /** Where the player returns to: https, or http on a loopback address, of an origin in `CHECKOUT_ORIGINS` */
  returnUrl: string
  /** How long a payment may be reserved for it */
  expiresInSeconds?: number
  /** Your own name for this call: repeated, it returns the checkout that was made first */
  idempotencyKey: string
}

export interface NewStudioKey {
  /** The key, which is not its secret */
  id: string
  /** What the log calls it */
  name: string
  scopes: Scope[]
  dailyCreditLimit: number | null
  creditedToday: number | null
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  /** When it was made */
  createdAt: string
  /** The name of the key that made it, or the wallet of the staff */
  createdBy: string
  /** What calls carry in `Authorization: Bearer`. Keep it: it is not shown again */
  secret: string
}

export interface NewWebhook {
  /** Where to post messages: an http or https URL */
  url: string
  /** Which events */
  events: WebhookEvent[]
  /** Why, for the studio’s log */
  reason?: string
}

/** Whether drinks enter or leave the market */
export type OrderDirection = 'credit' | 'debit'

export interface OrderPosted {
  order: StudioOrder
  /** How many drinks of this kind the wallet has after it, without those in its active listings */
  balance: number
}

export interface OrderRefused {
  /** For people */
  error: string
  /** As of a call for this order alone */
  code: string
}

export type OrderResult = OrderPosted | OrderRefused

/** The fee that the same transaction paid. The seller cannot return it; the studio owes it to the buyer */
export interface OwedFee {
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  /** To whom the studio owes it: an address in base58 */
  owedTo: string
}

export interface Pause {
  /** What the studio says to players */
  message: string
  /** Since when */
  since: string
  /** Whose key or wallet it was */
  actor: string
}

export interface PauseRequest {
  /** What players read */
  message: string
}

/** How far the payment has come */
export type PaymentStage = 'none' | 'sent' | 'confirmed' | 'delivered'

export interface Player {
  /** The player: an address in base58 */
  walletAddress: string
  createdAt: string | null
  /** How many of each drink the wallet has, without those in its active listings */
  balances: Record<string, number>
  /** How many of each drink are in its active listings, those included that buyers hold */
  listed: Record<string, number>
  /** How many purchases it holds and has not paid, as buyer */
  openPurchases: number
  /** How many cases wait for someone, as buyer or seller */
  openCases: number
  block: Block | null
}

export interface Purchase {
  /** The purchase */
  purchaseId: string
  /** What is bought; of several items, that of the first */
  listingId: string
  /** Who pays: an address in base58 */
  buyer: string
  /** Who is paid; of several items, that of the first: an address in base58 */
  seller: string
  /** What the API calls a drink */
  tokenType: string
  /** What players call a drink */
  tokenName: string
  /** How many drinks, in all */
  amount: number
  /** The whole purchase without the fee, in SOL */
  price: number
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  /** All of them are held, paid and delivered together, or none */
  items: PurchaseItem[]
  fee: Fee
  /** `held`: the listing waits for this buyer’s payment, or is reserved for one that is under way. `settled`: paid and delivered. `ended`: no payment counted, and `endReason` says why. */
  status: PurchaseStatus
  endReason: EndReason | null
  /** How far the payment has come */
  stage: PaymentStage
  signature: string | null
  /** Add it to the transfer as a read-only account that does not sign: an address in base58 */
  reference: string
  /** Whether only the market can send the payment: the buyer has signed it, and has nothing left to do */
  coSigned: boolean
  /** `server`: only the market sends the payment. `wallet`: the buyer’s wallet may do so, as for every hold. What an order asks for is ignored; the field ends with 0.4.0. */
  sendsThrough: SendsThrough
  /** Until when the buyer may pay */
  payBefore: string
  /** Milliseconds left to pay; 0 once the time has run out, and unless it is held */
  payMillisLeft: number
  /** Whether only the studio can end this hold: nobody can prove whether it was paid */
  waitsForStudio: boolean
  releaseReason: string | null
  cooldownUntil: string | null
  /** Made on a local chain that has been restarted since */
  earlierChain: boolean
  /** Whether the payment can never be undone */
  finalized: boolean
  /** When the listing was held */
  createdAt: string
  settledAt: string | null
}

/** How many purchases there are of each kind */
export interface PurchaseAudit {
  held: number
  settled: number
  ended: number
  openCases: number
  /** Purchases made on a local chain that has been restarted since */
  earlierChain: number
  /** Settled purchases whose payment this audit, or one before it, has read from the chain and verified */
  verifiedOnChain: number
}

export interface PurchaseItem {
  /** The row that is sold: a listing, or the part that was split off for this purchase */
  listingId: string
  partOf: string | null
  /** Who sells it: an address in base58 */
  seller: string
  /** What the API calls a drink */
  tokenType: string
  /** What players call a drink */
  tokenName: string
  /** How many drinks */
  amount: number
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  /** The item, in SOL */
  price: number
}

/** `held`: the listing waits for this buyer’s payment, or is reserved for one that is under way. `settled`: paid and delivered. `ended`: no payment counted, and `endReason` says why. */
export type PurchaseStatus = 'held' | 'settled' | 'ended'

export interface Recovery {
  /** The recovery */
  id: string
  status: RecoveryStatus
  /** `waiting`: until nothing can land any more that was signed before. `listing`: the transactions of each wallet. `reading`: these transactions. */
  part: RecoveryPart
  /** Up to then the database knows everything */
  since: string
  /** When it was started */
  startedAt: string
  finishedAt: string | null
  outcome: RecoveryOutcome | null
  /** Whether the market still waits for a clean recovery */
  marketPaused: boolean
  progress: RecoveryProgress
  /** Transactions found that carry a reference of this market, known to the database or not */
  payments: number
  /** Cases opened, of the kind `lost` */
  casesOpened: number
  /** Refunds found that the database does not know: the first hundred */
  refunds: string[]
  /** How many such refunds there are in all */
  refundsCount: number
  /** What could not be checked, and why: the first hundred */
  unchecked: string[]
  /** How much could not be checked in all */
  uncheckedCount: number
  /** What no recovery can find */
  limits: string[]
}

export interface RecoveryAcceptance {
  /** Why, for the log */
  reason: string
}

/** `clean`: nothing is missing, and the market is open again. `cases`: it opened cases for payments that the database had lost; recover again. `unchecked`: it found none, but could not check everything. */
export type RecoveryOutcome = 'clean' | 'cases' | 'unchecked'

/** `waiting`: until nothing can land any more that was signed before. `listing`: the transactions of each wallet. `reading`: these transactions. */
export type RecoveryPart = 'waiting' | 'listing' | 'reading'

export interface RecoveryProgress {
  blockHeight: number | null
  expiryHeight: number | null
  /** Wallets whose transactions are listed: all sellers, and those that received fees */
  wallets: number
  walletsListed: number
  /** Of these wallets since the backup, as far as they are listed */
  transactions: number
  transactionsRead: number
}

export interface RecoveryRequest {
  /** The time of the backup, if servers have worked on the restored database before the market was paused. Without it, purchases up to the pause are taken to be known */
  since?: string
}

export type RecoveryStatus = 'running' | 'done'

export interface Release {
  /** Why, for both sides to read */
  reason: string
}

export interface Replay {
  /** The `webhook-id` of the last message that need not be sent again */
  after: string
  /** Why, for the studio’s log */
  reason?: string
}

/** The fees of all settled purchases whose payments the chain has kept */
export interface Revenue {
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
}

export interface RotatedWebhook {
  /** The webhook */
  id: string
  /** What messages are signed with, `whsec_` and 32 bytes in base64. It is shown this once: no call returns it again */
  secret: string
}

/** What a drink’s listings and purchases must keep to. A field that is missing limits nothing. */
export interface Rule {
  /** What the API calls a drink */
  tokenType: string
  /** The least that one drink may cost, in SOL */
  minUnitPrice?: number
  /** The most that one drink may cost, in SOL */
  maxUnitPrice?: number
  /** How many active listings of the drink a wallet may have */
  maxListingsPerWallet?: number
  /** How much SOL a wallet may spend on the drink in a UTC day, open holds included, fees not */
  maxSolPerWalletPerDay?: number
}

export interface RuleRequest {
  tokenType: string
  /** The least that one drink may cost, in SOL */
  minUnitPrice?: number
  /** The most that one drink may cost, in SOL */
  maxUnitPrice?: number
  /** How many active listings of the drink a wallet may have */
  maxListingsPerWallet?: number
  /** How much SOL a wallet may spend on the drink in a UTC day, open holds included, fees not */
  maxSolPerWalletPerDay?: number
}

export interface RulesRequest {
  /** At most one for each drink */
  rules: RuleRequest[]
  /** Why, for the studio’s log */
  reason?: string
}

/** One item of a settled purchase. Its fee is its share: those of a purchase’s items add up to what the buyer paid */
export interface Sale {
  /** The sale: the same in every reply, and in webhooks */
  saleId: string
  reverses: string | null
  /** The purchase that it was part of */
  purchaseId: string
  /** What was sold: a listing, or the part that was split off */
  listingId: string
  /** Who paid: an address in base58 */
  buyer: string
  /** Who was paid: an address in base58 */
  seller: string
  /** What the API calls a drink */
  tokenType: string
  /** How many drinks */
  amount: number
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  fee: Fee
  /** The payment’s transaction, which may have paid for several sales */
  signature: string
  /** When the drinks moved; of a reversal, when the market found out */
  settledAt: string
  checkout: SoldCheckout | null
}

export interface SalesPage {
  sales: Sale[]
  /** Where to go on, now or later; never null */
  next: string
}

/** What a key or a member of the staff may do. Scopes do not contain each other */
export type Scope = 'read' | 'credit' | 'debit' | 'checkout' | 'cases' | 'rules' | 'admin'

/** `server`: only the market sends the payment. `wallet`: the buyer’s wallet may do so, as for every hold. What an order asks for is ignored; the field ends with 0.4.0. */
export type SendsThrough = 'server' | 'wallet'

/** Its method */
export type SignedMethod = 'POST' | 'PUT' | 'DELETE'

/** The checkout that it was sold through; null for a sale in the market */
export interface SoldCheckout {
  /** The checkout */
  id: string
  clientReference: string | null
}

/** Somebody who may use the studio’s desk */
export interface Staff {
  /** The wallet that signs in: an address in base58 */
  wallet: string
  name: string | null
  scopes: Scope[]
  /** Whether `STUDIO_WALLETS` names it, or a call has added it. What a call says of a wallet comes before the setting */
  source: StaffSource
  addedAt: string | null
  addedBy: string | null
}

export interface StaffRequest {
  /** What it may do; read, cases, rules if it is left out */
  scopes?: Scope[]
  /** Whose it is */
  name?: string
  /** Why, for the studio’s log */
  reason?: string
}

/** Whether `STUDIO_WALLETS` names it, or a call has added it. What a call says of a wallet comes before the setting */
export type StaffSource = 'setting' | 'call'

export interface Stats {
  /** In order of day, hour or drink */
  stats: StatsRow[]
}

/** What a row is of; `day` by default */
export type StatsGroup = 'day' | 'hour' | 'tokenType'

export interface StatsRow {
  /** A day in UTC, if grouped by day */
  day?: string
  /** When an hour of UTC begins, if grouped by hour */
  hour?: string
  /** What the API calls a drink */
  tokenType?: string
  /** Settled items, without those whose payment the chain undid */
  sales: number
  /** How many drinks these were */
  amount: number
  /** How many wallets bought them */
  buyers: number
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  volumeLamports: string
  medianUnitPrice: number | null
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  feesLamports: string
  /** How many drinks the studio credited */
  credited: number
  /** How many drinks the studio debited */
  debited: number
}

export interface StudioKey {
  /** The key, which is not its secret */
  id: string
  /** What the log calls it */
  name: string
  scopes: Scope[]
  dailyCreditLimit: number | null
  creditedToday: number | null
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  /** When it was made */
  createdAt: string
  /** The name of the key that made it, or the wallet of the staff */
  createdBy: string
}

export interface StudioKeyRequest {
  /** a name of at most 64 characters, which the log will show */
  name: string
  /** What it may do */
  scopes: Scope[]
  expiresAt?: string | null
  dailyCreditLimit?: number | null
  replaces?: string | null
  /** Why, for the studio’s log */
  reason?: string
}

export interface StudioMe {
  wallet: string | null
  name: string | null
  scopes: Scope[]
}

export interface StudioOrder {
  /** The ledger’s number of this order */
  id: string
  /** Whether drinks enter or leave the market */
  direction: OrderDirection
  /** Whose drinks: an address in base58 */
  walletAddress: string
  /** What the API calls a drink */
  tokenType: string
  amount: number
  idempotencyKey: string
  /** When it was first posted */
  createdAt: string
}

export interface StudioOrderRequest {
  /** A Solana wallet address: a public key of 32 bytes in base58 */
  walletAddress: string
  tokenType: string
  amount: number
  /** Your own name for this order. The same one never moves tokens twice: it returns the order posted first. A studio key with a daily limit has names of its own. */
  idempotencyKey: string
  /** Why, for the studio’s log */
  reason?: string
}

export interface StudioOrdersRequest {
  orders: unknown[]
}

/** A purchase as those see it who answer questions about it */
export interface StudioPurchase {
  /** The purchase */
  purchaseId: string
  /** What is bought; of several items, that of the first */
  listingId: string
  /** Who pays: an address in base58 */
  buyer: string
  /** Who is paid; of several items, that of the first: an address in base58 */
  seller: string
  /** What the API calls a drink */
  tokenType: string
  /** What players call a drink */
  tokenName: string
  /** How many drinks, in all */
  amount: number
  /** The whole purchase without the fee, in SOL */
  price: number
  /** A whole number of lamports, as text: 1 SOL is 1,000,000,000 */
  lamports: string
  /** All of them are held, paid and delivered together, or none */
  items: PurchaseItem[]
  fee: Fee
  /** `held`: the listing waits for this buyer’s payment, or is reserved for one that is under way. `settled`: paid and delivered. `ended`: no payment counted, and `endReason` says why. */
  status: PurchaseStatus
  endReason: EndReason | null
  /** How far the payment has come */
  stage: PaymentStage
  signature: string | null
  /** Add it to the transfer as a read-only account that does not sign: an address in base58 */
  reference: string
  /** Whether only the market can send the payment: the buyer has signed it, and has nothing left to do */
  coSigned: boolean
  /** `server`: only the market sends the payment. `wallet`: the buyer’s wallet may do so, as for every hold. What an order asks for is ignored; the field ends with 0.4.0. */
  sendsThrough: SendsThrough
  /** Until when the buyer may pay */
  payBefore: string
  /** Milliseconds left to pay; 0 once the time has run out, and unless it is held */
  payMillisLeft: number
  /** Whether only the studio can end this hold: nobody can prove whether it was paid */
  waitsForStudio: boolean
  releaseReason: string | null
  cooldownUntil: string | null
  /** Made on a local chain that has been restarted since */
  earlierChain: boolean
  /** Whether the payment can never be undone */
  finalized: boolean
  /** When the listing was held */
  createdAt: string
  settledAt: string | null
  /** What happened, the oldest first */
  timeline: TimelineEntry[]
  waitingFor: string | null
}

export interface StudioPurchasesPage {
  purchases: StudioPurchase[]
  nextCursor: string | null
}

/** `asked`: by a call. `gone`: the receiver answered 410. `failed`: 10 attempts at one message failed. */
export type SwitchOffReason = 'asked' | 'gone' | 'failed'

export interface TimelineEntry {
  /** When it happened */
  at: string
  /** `submitted`: the server has checked and recorded the payment. `sent`: by the server. `cancelled`: by the buyer, or released by the studio. `expired`: the hold ended unpaid for another reason. */
  event: TimelineEvent
  /** What happened, for people */
  detail: string
}

/** `submitted`: the server has checked and recorded the payment. `sent`: by the server. `cancelled`: by the buyer, or released by the studio. `expired`: the hold ended unpaid for another reason. */
export type TimelineEvent = 'held' | 'submitted' | 'sent' | 'confirmed' | 'delivered' | 'finalized' | 'cancelled' | 'expired' | 'case.opened' | 'case.closed'

export interface TokenAudit {
  /** What the API calls a drink */
  tokenType: string
  credited: number
  debited: number
  inWallets: number
  inListings: number
  /** Whether wallets and listings add up to credits less debits */
  balanced: boolean
}

export interface Violation {
  /** Its number in docs/payments.md */
  invariant: string
  /** What does not add up */
  detail: string
}

export interface Webhook {
  /** The webhook */
  id: string
  /** Where messages are posted */
  url: string
  events: WebhookEvent[]
  /** Whether messages are sent. While they are not, they wait, for 30 days */
  enabled: boolean
  switchedOff: SwitchOffReason | null
  /** At the oldest message that is not delivered */
  failedAttempts: number
  nextAttemptAt: string | null
  waitingSince: string | null
  /** How many secrets are valid: two for 24 hours after a rotation */
  secretCount: number
  /** When the webhook was made */
  createdAt: string
}

export interface WebhookChange {
  /** Whether messages are sent */
  enabled: boolean
  /** Why, for the studio’s log */
  reason?: string
}

/** `sale.settled`: drinks were paid and delivered. `sale.reversed`: the chain has undone the payment. `checkout.completed`: a checkout was paid and delivered. `checkout.expired`: nobody paid it in time. `case.opened`, `case.closed`: a payment that did not end in a delivery. `listing.created`, `listing.removed`: it entered the market, or left it unsold. */
export type WebhookEvent = 'sale.settled' | 'sale.reversed' | 'checkout.completed' | 'checkout.expired' | 'case.opened' | 'case.closed' | 'listing.created' | 'listing.removed'

export interface WebhooksPage {
  webhooks: Webhook[]
  nextCursor: string | null
}

/** The method and path of each call. */
export const endpoints = {
  studioCredit: 'POST /api/studio/credits',
  studioDebit: 'POST /api/studio/debits',
  studioOrders: 'POST /api/studio/orders',
  createStudioKey: 'POST /api/studio/keys',
  studioKeys: 'GET /api/studio/keys',
  revokeStudioKey: 'DELETE /api/studio/keys/:id',
  studioMe: 'GET /api/studio/me',
  studioStaff: 'GET /api/studio/staff',
  readStaff: 'GET /api/studio/staff/:wallet',
  setStaff: 'PUT /api/studio/staff/:wallet',
  removeStaff: 'DELETE /api/studio/staff/:wallet',
  requestChallenge: 'POST /api/studio/challenges',
  studioLog: 'GET /api/studio/log',
  studioCases: 'GET /api/studio/cases',
  closeCase: 'POST /api/studio/cases',
  createCheckout: 'POST /api/studio/checkouts',
  studioCheckouts: 'GET /api/studio/checkouts',
  studioCheckout: 'GET /api/studio/checkouts/:id',
  expireCheckout: 'POST /api/studio/checkouts/:id/expire',
  checkoutAttempts: 'GET /api/studio/checkouts/:id/attempts',
  studioSales: 'GET /api/studio/sales',
  studioPlayer: 'GET /api/studio/players/:walletAddress',
  studioPurchases: 'GET /api/studio/purchases',
  studioPurchase: 'GET /api/studio/purchases/:id',
  studioStats: 'GET /api/studio/stats',
  releasePurchase: 'POST /api/studio/purchases/:id/release',
  audit: 'GET /api/studio/audit',
  startAudit: 'POST /api/studio/audits',
  audits: 'GET /api/studio/audits',
  readAudit: 'GET /api/studio/audits/:id',
  startRecovery: 'POST /api/studio/recoveries',
  readRecovery: 'GET /api/studio/recoveries/:id',
  acceptRecovery: 'POST /api/studio/recoveries/:id/accept',
  createWebhook: 'POST /api/studio/webhooks',
  webhooks: 'GET /api/studio/webhooks',
  changeWebhook: 'PUT /api/studio/webhooks/:id',
  deleteWebhook: 'DELETE /api/studio/webhooks/:id',
  rotateWebhook: 'POST /api/studio/webhooks/:id/rotate',
  webhookDeliveries: 'GET /api/studio/webhooks/:id/deliveries',
  replayWebhook: 'POST /api/studio/webhooks/:id/replay',
  readPause: 'GET /api/studio/pause',
  pauseMarket: 'PUT /api/studio/pause',
  resumeMarket: 'DELETE /api/studio/pause',
  studioBlocks: 'GET /api/studio/blocks',
  readBlock: 'GET /api/studio/blocks/:wallet',
  blockWallet: 'PUT /api/studio/blocks/:wallet',
  unblockWallet: 'DELETE /api/studio/blocks/:wallet',
  readRules: 'GET /api/studio/rules',
  setRules: 'PUT /api/studio/rules',
} as const

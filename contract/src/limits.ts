/** Bounds that both sides agree on. The database's CHECK constraints repeat the money and amount bounds. */

/** Least price and its step, in SOL (specification, section 9). */
export const MIN_PRICE_SOL = 0.001
export const PRICE_STEP_SOL = 0.001
/** Highest price in SOL: its lamports stay exact in a JSON number. */
export const MAX_PRICE_SOL = 1_000_000

/** The price of a listing changes at most once in this time. */
export const PRICE_CHANGE_SECONDS = 10

export const MIN_AMOUNT = 1
export const MAX_AMOUNT = 1_000_000_000
/** Of one item in one wallet: exact in a JSON number. */
export const MAX_BALANCE = 9_000_000_000_000_000

export const LISTINGS_PAGE = 50
export const MAX_LISTINGS_PAGE = 200
/** `my-listings` has no pages: a seller with more listings sees the newest of them. */
export const MAX_OWN_LISTINGS = 500
/** Removed by one call. */
export const MAX_REMOVED_LISTINGS = 10_000
/** Of the studio's list of sales. */
export const SALES_PAGE = 100
export const MAX_SALES_PAGE = 500
/** Of the studio's figures by hour. */
export const MAX_STATS_HOURS = 48
/** Of a player's own ledger: a file of all of it takes few requests. */
export const MAX_LEDGER_PAGE = 1_000
export const MAX_SEARCH_LENGTH = 64
/** Per answer; also the number of prices in a drink's depth, cheapest first. */
export const MAX_CANDLES = 500
export const MAX_LEVELS = 1_000

export const MAX_BODY_BYTES = 16_384
/** A Solana transaction has at most 4096 bytes, in version 1, which are 5464 characters in base64. */
export const MAX_TRANSACTION_BASE64 = 5464

/** In characters. */
export const MAX_IDEMPOTENCY_KEY = 128

/** Orders in one call of the studio, and the bytes that they may take. */
export const MAX_ORDERS = 500
export const MAX_ORDERS_BYTES = 524_288
/** Of a studio key, in characters. */
export const MAX_KEY_NAME = 64
/** Studio keys that are neither revoked nor expired. */
export const MAX_KEYS = 500
/** Staff wallets added by calls. */
export const MAX_STAFF = 100
/** Of `STUDIO_WALLETS`. */
export const MAX_STUDIO_WALLETS = 20
/** Of a member of the staff, in characters. */
export const MAX_STAFF_NAME = 64
export const CHALLENGE_SECONDS = 120
/** Of one wallet at the same time. */
export const MAX_OPEN_CHALLENGES = 20
/** In characters: the studio's reason for an order, a key, a pause, a block or new rules. */
export const MAX_REASON = 1_000

/** Of one purchase, and of one quote: what one transaction pays for. */
export const MAX_ITEMS = 20
/** A transfer to each of them, the fee and what wallets add fit into the 1,232 bytes of a transaction. */
export const MAX_SELLERS = 10

/** Of a wallet at the same time: purchases, and items of all of them. */
export const MAX_OPEN_HOLDS = 3
export const MAX_OPEN_ITEMS = 20
/** Of a wallet, as long as their bytes could still land. */
export const MAX_REFUSED_PAYMENTS = 20
/** How long a payment link is valid. */
export const PAY_LINK_SECONDS = 600
/** Of a wallet, and of a network, at the same time. */
export const MAX_PAY_LINKS = 20
/** How long a checkout may stay open, and how long it does if nothing is said. */
export const CHECKOUT_SECONDS = { min: 60, max: 86_400, usual: 1_800 }
/** Of a checkout, in characters: what the game calls it, and where its player returns to. */
export const MAX_CLIENT_REFERENCE = 200
export const MAX_RETURN_URL = 2_048
export const NONCE_SECONDS = 300
export const SESSION_SECONDS = 7 * 24 * 60 * 60

/** Each may have a request under way at the same time. */
export const MAX_WEBHOOKS = 50
/** After so many failed attempts at one message, a webhook is switched off. */
export const WEBHOOK_ATTEMPTS = 10
/** How long messages that wait, or may be sent again, are kept. */
export const WEBHOOK_DAYS = 30
/** In characters. */
export const MAX_WEBHOOK_URL = 2048

/** Of a wallet, including those that have fired. */
export const MAX_ALERTS = 20
/** The lowest price that an alert can wait for, in SOL. */
export const MIN_ALERT_SOL = 0.000_001
/** Browsers of a wallet that show pushes: the newest. */
export const MAX_PUSH_SUBSCRIPTIONS = 10
/** In characters. */
export const MAX_PUSH_ENDPOINT = 1024

/** Decimals of a SOL balance on the screen (specification, section 9). */
export const SOL_DECIMALS_SHOWN = 4
export const SELLER_CHARACTERS_SHOWN = 8
export const SIGNATURE_CHARACTERS_SHOWN = 20

/** The highest limit of SOL that a wallet may spend in a day: more than there is. */
export const MAX_DAILY_SOL = 1_000_000_000
/** The highest limit of listings of a wallet. */
export const MAX_LISTINGS_RULE = 1_000_000

/** The network's fee for one signature, and a buyer's reserve for a wallet's priority fee. */
export const SIGNATURE_FEE_LAMPORTS = 5_000n
/** The network's fee for a payment that the market signs, too. */
export const CO_SIGNED_FEE_LAMPORTS = 10_000n
export const FEE_RESERVE_LAMPORTS = 100_000n

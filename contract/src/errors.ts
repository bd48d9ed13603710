import { MAX_AMOUNT, MAX_ITEMS, MAX_PRICE_SOL, MAX_SELLERS, MIN_ALERT_SOL, MIN_AMOUNT, MIN_PRICE_SOL, PRICE_STEP_SOL } from './limits.ts'

const inWords = (value: number) => value.toLocaleString('en')

/**
 * Every way a call can fail: its HTTP status and its words for people. The code that raises the failure fills in `{detail}`.
 * `retryAfter`: the reply says in `Retry-After` how many seconds to wait. Server and web app share this table; a code without words does
 * not compile.
 */
export const errors = {
  BAD_REQUEST: { status: 400, text: '{detail}' },
  FIELDS_MISSING: { status: 400, text: 'Fill in all fields' },
  BODY_TOO_LARGE: { status: 413, text: 'This request is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'Send the request as JSON.' },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This address does not accept this kind of request.' },
  REQUEST_TIMEOUT: { status: 408, text: 'The request took too long to arrive. Please try again.' },
  EXPECTATION_FAILED: { status: 417, text: 'The only supported expectation is 100-continue.' },
  INTERNAL: { status: 500, text: 'Something went wrong on our side. Please try again.' },
  DATABASE_DOWN: {
    status: 503,
    text: 'The market cannot reach its database right now.{detail} Please try again in a moment.',
  },
  UPGRADING: { status: 503, text: 'The market is being upgraded right now. Please try again in a moment.' },
  CHAIN_DOWN: { status: 503, text: 'The Solana network cannot be reached right now. Please try again in a moment.' },
  CHAIN_BUSY: {
    status: 503,
    text: 'Many people are buying right now, so this has to wait its turn. Please try again in a moment.',
    retryAfter: true,
  },
  TOO_MANY_REQUESTS: { status: 429, text: 'Too many requests. Please wait {detail} and try again.', retryAfter: true },

  UNAUTHORIZED: { status: 401, text: 'Sign in to do this.' },
  SESSION_ENDED: { status: 401, text: 'Your session has ended. Please sign in again.' },
  NONCE_INVALID: { status: 401, text: 'This sign-in request has expired. Please sign in again.' },
  SIGNATURE_INVALID: { status: 401, text: 'The signature does not belong to this wallet and message.' },
  STUDIO_KEY_INVALID: { status: 401, text: 'This call needs a studio key.' },
  KEY_EXPIRED: { status: 401, text: 'This studio key has expired.' },
  KEY_REVOKED: { status: 401, text: 'This studio key was revoked.' },
  INSUFFICIENT_SCOPE: { status: 403, text: 'You may not do this: it needs the scope {detail}.' },
  KEY_TOO_POWERFUL: { status: 403, text: 'A studio key cannot do more than its creator: {detail}' },
  KEY_NOT_FOUND: { status: 404, text: 'This studio key does not exist.' },
  NOT_YOUR_KEY: {
    status: 403,
    text: 'A studio key can only end or replace itself and the keys below it: those that it or they have made.',
  },
  TOO_MANY_KEYS: { status: 409, text: 'There are {detail} studio keys in use. Revoke one first.' },
  NOT_STAFF: { status: 403, text: 'This wallet is not on the studio’s staff.' },
  STAFF_TOO_POWERFUL: { status: 403, text: 'You cannot grant more at the desk than you may do yourself: {detail}' },
  STAFF_NOT_FOUND: { status: 404, text: 'This wallet is not on the studio’s staff, and has never been.' },
  TOO_MANY_STAFF: { status: 409, text: 'There are {detail} wallets on the staff. Take one off first.' },
  SIGNATURE_NOT_NEEDED: { status: 409, text: 'This needs no signature: {detail}' },
  CHALLENGE_NEEDED: { status: 403, text: 'Your wallet must sign this call first.' },
  CHALLENGE_NOT_FOUND: { status: 403, text: 'This request for a signature does not exist or has expired. Ask for another one.' },
  CHALLENGE_WALLET_DIFFERS: { status: 403, text: 'This signature was requested from another wallet. Nothing was done.' },
  CHALLENGE_CALL_DIFFERS: { status: 403, text: 'This signature was asked for another action. Nothing was done.' },
  CHALLENGE_BODY_DIFFERS: { status: 403, text: 'What was signed is not what was sent. Nothing was done.' },
  CHALLENGE_SIGNATURE_INVALID: { status: 403, text: 'The signature does not belong to this wallet and text. Nothing was done.' },
  CHALLENGE_USED: { status: 403, text: 'This signature was already used. Sign again to do it again.' },
  CHALLENGE_EXPIRED: { status: 403, text: 'This signature came too late. Please sign again.' },
  DAILY_LIMIT: { status: 409, text: 'This studio key has a daily limit: {detail}' },
  WALLET_ADDRESS_INVALID: { status: 400, text: 'This is not a Solana wallet address.' },
  WALLET_CANNOT_SIGN: { status: 400, text: 'Nobody can sign with this address{detail}, so nobody could ever use these tokens.' },
  NOT_YOUR_BALANCE: { status: 403, text: 'You can only see the balance of your own wallet.' },

  TOKEN_TYPE_UNKNOWN: { status: 400, text: 'There is no such token.' },
  PRICE_INVALID: {
    status: 400,
    text: `The price must be between ${MIN_PRICE_SOL} and ${inWords(MAX_PRICE_SOL)} SOL, in steps of ${PRICE_STEP_SOL} SOL.`,
  },
  AMOUNT_INVALID: { status: 400, text: `The amount must be a whole number between ${MIN_AMOUNT} and ${inWords(MAX_AMOUNT)}.` },
  TOO_CHEAP_TO_DIVIDE: {
    status: 400,
    text: 'Each item of a listing that may be bought in parts must cost at least 0.000000001 SOL. Raise the price, or sell it only as a whole.',
  },
  CURSOR_INVALID: { status: 400, text: 'This page of the list no longer exists. Start again from the first one.' },
  CURSOR_EPOCH: {
    status: 409,
    text: 'The database was restored to an earlier state, in which your place in this list is unknown. Start again from the first page.',
  },
  INSUFFICIENT_TOKENS: { status: 409, text: 'You do not have that many tokens.' },
  BALANCE_LIMIT: { status: 409, text: 'This wallet cannot hold more of this token.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, text: 'This idempotency key was already used with other parameters.' },

  LISTING_NOT_FOUND: { status: 404, text: 'This listing does not exist.' },
  LISTING_NOT_ACTIVE: { status: 409, text: 'This listing is no longer for sale.' },
  LISTING_HELD: { status: 409, text: 'Another buyer is paying for this listing right now.' },
  HELD_BY_YOU: { status: 409, text: 'You are already buying this listing. Finish that purchase or cancel it first.' },
  AMOUNT_NOT_LEFT: { status: 409, text: 'There are not that many left in this listing.' },
  NOT_DIVISIBLE: { status: 409, text: 'This listing is only sold whole.' },
  PART_TOO_SMALL: { status: 409, text: 'The network would not let so small a payment through: {detail}' },
  SAME_LISTING_TWICE: { status: 400, text: 'The same listing is in this purchase twice.' },
  TOO_MANY_ITEMS: { status: 400, text: `One purchase has at most ${MAX_ITEMS} listings.` },
  TOO_MANY_SELLERS: { status: 409, text: `One purchase has at most ${MAX_SELLERS} sellers.` },
  TRANSFERS_NEEDED: {
    status: 409,
    text: 'This purchase needs several transfers in one transaction, and this client has not said that it pays them all.',
  },
  PRICE_MOVED: { status: 409, text: 'The price has changed. Please check it again.' },
  FEE_WALLET_EMPTY: { status: 503, text: 'The market cannot receive its fee right now, so nobody can pay. Please try again later.' },
  LISTING_HELD_BY_BUYER: { status: 409, text: 'A buyer is paying for this listing right now, so it can be neither changed nor removed.' },
  NOT_YOUR_LISTING: { status: 403, text: 'Only the seller can change or remove this listing.' },
  PRICE_JUST_CHANGED: {
    status: 429,
    text: 'The price of this listing was changed a moment ago. You can change it again in {detail}.',
    retryAfter: true,
  },
  LISTING_FROZEN: {
    status: 409,
    text: 'This listing cannot be bought, changed or removed for now: the studio must first look into an earlier payment to its seller.',
  },
  OWN_LISTING: { status: 409, text: 'You cannot buy your own listing!' },
  INSUFFICIENT_SOL: { status: 409, text: 'Insufficient SOL to purchase!' },

  TOO_MANY_HOLDS: { status: 409, text: 'You can buy {detail}. Wait until one is delivered, or cancel one first.' },
  AMBIGUOUS_HOLD: {
    status: 409,
    text: 'You are already buying another listing from this seller at the same price. Finish that purchase first.',
  },
  COOLDOWN: { status: 429, text: 'You cannot buy this yet. {detail}', retryAfter: true },
  PUBLIC_ORIGIN_NEEDED: { status: 409, text: 'A phone cannot reach this market, because it has no public https address.' },
  PAY_LINK_LIMIT: {
    status: 429,
    text: 'Too many purchases by phone are open or were left unpaid. Please try again in {detail}, or connect a wallet here.',
    retryAfter: true,
  },
  PAY_LINK_NOT_FOUND: { status: 404, text: 'This payment link does not exist.' },
  PAY_LINK_EXPIRED: { status: 410, text: 'This payment link has expired. Ask for a new one where you scanned it.' },
  PAY_LINK_PAID: { status: 409, text: 'This payment link has been paid already.' },
  PAY_LINK_HELD: { status: 409, text: 'Another wallet is paying through this link right now.' },
  PAY_LINK_ELSEWHERE: {
    status: 409,
    text: 'This wallet is already buying another listing through a payment link. Pay for that one first, or wait a few minutes.',
  },
  CHECKOUT_OFF: { status: 409, text: 'This market makes no checkouts: its operator has not set CHECKOUT_ORIGINS.' },
  CHECKOUT_NOT_FOUND: { status: 404, text: 'This checkout does not exist.' },
  CHECKOUT_EXPIRED: { status: 409, text: 'This checkout has expired. Nothing was paid. Start again in the game.' },
  CHECKOUT_PAYING: { status: 409, text: 'A payment for this checkout is under way.' },
  CHECKOUT_PAID: { status: 409, text: 'This checkout has been paid already.' },
  CHECKOUT_OTHER_WALLET: { status: 409, text: 'This checkout is for another wallet. Connect the one that you use in the game.' },
  CHECKOUT_DIFFERS: { status: 409, text: 'This is not what the checkout is for: {detail}' },
  NO_HOLD: { status: 409, text: 'Your wallet has no purchase of this listing.' },
  PURCHASE_NOT_FOUND: { status: 404, text: 'This purchase does not exist.' },
  HOLD_ENDED: { status: 409, text: 'The time to pay for this listing has run out. Do not pay for it any more.' },
  NOT_RELEASABLE: { status: 409, text: 'This hold cannot be released: {detail}' },
  PAYMENT_UNDER_WAY: {
    status: 409,
    text: 'A payment for this listing is under way. The listing is delivered as soon as the network confirms it.',
  },
  PAYMENT_DIFFERS: {
    status: 409,
    text: 'Another payment for this listing was already submitted. This one was not sent, so it moved no SOL.',
  },
  PAYMENT_REFUSED: { status: 422, text: 'This payment was not sent, and no SOL moved: {detail}' },
  PAYMENT_EXPIRED: {
    status: 409,
    text: 'This payment was signed too long ago, so it was not sent, and no SOL moved. Please approve it again.',
  },
  REFERENCE_USED: { status: 409, text: 'This offer was already used for another payment. Ask for a new one.' },
  REFERENCE_NEEDED: {
    status: 409,
    text: 'In this market a payment must carry its reference, and this client has not said that it adds it.',
  },
  CO_SIGN_OFF: { status: 409, text: 'This market does not co-sign payments right now.' },
  WALLET_SENDS_OFF: {
    status: 409,
    text: 'In this market only the market itself sends payments. Please reload the page and buy again.',
  },
  PAYMENT_MISMATCH: { status: 409, text: 'This transaction does not pay for this listing: {detail}' },
  PAYMENT_CASE: {
    status: 409,
    text: 'Your SOL reached the seller, but the listing could not be delivered: {detail} See Needs attention.',
  },
  SIGNATURE_USED: { status: 409, text: 'This transaction already paid for something else.' },

  PAUSED: { status: 503, text: 'Buying and selling are paused: {detail}' },
  BLOCKED: { status: 403, text: 'This wallet is blocked: {detail}' },
  RULE_BROKEN: { status: 409, text: 'A rule of this market does not allow that: {detail}' },

  ALERT_NOT_FOUND: { status: 404, text: 'This alert does not exist.' },
  ALERT_PRICE_INVALID: {
    status: 400,
    text: `The price must be between ${MIN_ALERT_SOL} and ${inWords(MAX_PRICE_SOL)} SOL, with at most nine decimals.`,
  },
  TOO_MANY_ALERTS: { status: 409, text: 'You have {detail} active alerts. Delete one first.' },
  PUSH_SUBSCRIPTION_INVALID: { status: 400, text: 'This browser cannot be sent notifications: {detail}' },

  AUDIT_NOT_FOUND: { status: 404, text: 'This audit does not exist.' },
  RECOVERY_NOT_FOUND: { status: 404, text: 'This recovery does not exist.' },
  RECOVERY_NOT_ACCEPTABLE: { status: 409, text: 'This recovery cannot be accepted: {detail}' },
  CASE_NOT_FOUND: { status: 404, text: 'This case does not exist.' },
  CASE_NOT_OPEN: { status: 409, text: 'This case is already closed or being refunded.' },
  PAYMENT_NOT_FINAL: {
    status: 503,
    text: 'The network may still drop this payment, so it cannot be refunded yet. Please try again in a few seconds.',
    retryAfter: true,
  },
  NOT_YOUR_REFUND: { status: 403, text: 'Only the seller who was paid can refund this payment.' },
  WEBHOOK_NOT_FOUND: { status: 404, text: 'This webhook does not exist.' },
  WEBHOOK_URL_INVALID: { status: 400, text: 'This address cannot be a webhook: {detail}' },
  TOO_MANY_WEBHOOKS: { status: 409, text: 'The maximum number of webhooks is reached. Delete one first.' },
  MESSAGE_NOT_FOUND: { status: 404, text: 'This message does not exist, or is no longer kept.' },
  RPC_REFUSED: { status: 403, text: 'This RPC method is not available here.' },
} as const satisfies Record<string, { status: number; text: string; retryAfter?: true }>

/** The detail of DATABASE_DOWN for a write that the database may have carried out before the connection to it was lost. */
export const unknownOutcome = {
  safeToRepeat: ' What you asked for may have been done; asking again is safe, and does nothing twice.',
  notSafeToRepeat: ' What you asked for may have been done, so look before you ask again.',
}

export type ErrorCode = keyof typeof errors

/** The sentence for people that goes with a code. */
export function errorText(code: ErrorCode, detail = ''): string {
  // As a function, because `$` has a special meaning in a replacement string.
  return errors[code].text.replace('{detail}', () => detail)
}

interface FailureOptions {
  /** Completes the sentence of the code. */
  detail?: string
  /** Seconds until it makes sense to try again. */
  retryAfter?: number
  /** The listing of an order that the failure concerns. */
  listingId?: string
  cause?: unknown
}

/** A refusal that the caller should hear about. Rules and actions throw it; the HTTP layer turns it into a reply. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly retryAfter: number | undefined
  readonly listingId: string | undefined

  constructor(code: ErrorCode, { detail, retryAfter, listingId, cause }: FailureOptions = {}) {
    super(errorText(code, detail), { cause })
    this.name = 'Failure'
    this.code = code
    this.detail = detail
    this.retryAfter = retryAfter
    this.listingId = listingId
  }
}

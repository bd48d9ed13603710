import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { type Body } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'
import { CHECKOUT_SECONDS } from '@juicebar/contract/limits'
import { CHECKOUT_PATH } from '@juicebar/contract/market-settings'
import { isSafeReturn } from '@juicebar/contract/return-address'
import { type Checkout, type CheckoutAttempt, type CheckoutStatus, type PlayerCheckout } from '@juicebar/contract/schemas'
import { type Catalogue, requireTokenType, requireTokenAmount } from '../catalogue/catalogue.ts'
import { cannotSign, mayHaveSigner } from '../chain/transactions/keys.ts'
import { isUrlToken } from '../runtime/url-token.ts'

/** What a game asks for, in the form in which it is stored to recognise the same call. */
export interface CheckoutDraft {
  tokenType: TokenType
  amount: number
  /** The most that it may cost, the fee included: lamports as text. */
  maxLamports: string | null
  /** The only wallet that may pay. */
  wallet: WalletAddress | null
  clientReference: string | null
  returnUrl: string
  expiresInSeconds: number
}

/** A checkout, with what is known of the purchase that pays, or has paid, for it. */
export interface CheckoutRow {
  id: string
  publicId: string
  status: CheckoutStatus
  tokenType: TokenType
  amount: bigint
  maxLamports: bigint | null
  wallet: string | null
  clientReference: string | null
  returnUrl: string
  expiresAt: Date
  /** Whole milliseconds, by the database's clock. */
  millisLeft: number
  openedAt: Date | null
  purchaseId: string | null
  buyer: string | null
  /** With the fee. */
  lamports: bigint | null
  signature: string | null
  createdAt: Date
}

/**
 * A checkout's secret name, as a call gives it.
 * @throws CHECKOUT_NOT_FOUND if none can have it
 */
export function requirePublicId(text: string): string {
  if (!isUrlToken(text)) throw new Failure('CHECKOUT_NOT_FOUND')
  return text
}

/**
 * Reads what a game asks for.
 * @param origins where players may return to: `CHECKOUT_ORIGINS`
 * @throws CHECKOUT_OFF without origins; TOKEN_TYPE_UNKNOWN, AMOUNT_INVALID, WALLET_ADDRESS_INVALID, WALLET_CANNOT_SIGN; BAD_REQUEST for a
 *   `returnUrl` of another origin
 */
export function draftCheckout(
  { tokenType, amount, maxLamports, wallet, clientReference, returnUrl, expiresInSeconds }: Body<'createCheckout'>,
  { catalogue, origins }: { catalogue: Pick<Catalogue, 'find'>; origins: readonly string[] },
): CheckoutDraft {
  if (origins.length === 0) throw new Failure('CHECKOUT_OFF')
  return {
    tokenType: requireTokenType(catalogue, tokenType),
    amount: requireTokenAmount(amount),
    maxLamports: maxLamports === undefined ? null : String(BigInt(maxLamports)),
    wallet: wallet === undefined ? null : requirePayer(wallet),
    clientReference: clientReference ?? null,
    returnUrl: requireReturnUrl(returnUrl, origins),
    expiresInSeconds: expiresInSeconds ?? CHECKOUT_SECONDS.usual,
  }
}

function requirePayer(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Failure('WALLET_ADDRESS_INVALID')
  if (!mayHaveSigner(wallet)) throw cannotSign(wallet)
  return wallet
}

/** The address as a browser would read it, so that nothing about it can be understood in two ways. */
function requireReturnUrl(text: string, origins: readonly string[]): string {
  const url = URL.canParse(text) && !text.includes('#') ? new URL(text) : undefined
  if (!url || !isSafeReturn(url)) {
    const detail = 'returnUrl must be an https address, or http on a loopback address, without a user name and without a fragment.'
    throw new Failure('BAD_REQUEST', { detail })
  }
  const { origin, href } = url
  if (!origins.includes(origin))
    throw new Failure('BAD_REQUEST', { detail: `returnUrl must be of an origin in CHECKOUT_ORIGINS, not ${origin}.` })
  return href
}

/** A checkout as the studio's calls and webhooks show it. */
export function checkoutReply(row: CheckoutRow, publicOrigin: string): Checkout {
  return {
    id: row.id,
    url: new URL(`${CHECKOUT_PATH}${row.publicId}`, publicOrigin).href,
    status: row.status,
    tokenType: row.tokenType,
    amount: Number(row.amount),
    maxLamports: row.maxLamports?.toString() ?? null,
    wallet: row.wallet,
    clientReference: row.clientReference,
    returnUrl: row.returnUrl,
    expiresAt: row.expiresAt.toISOString(),
    purchaseId: row.purchaseId,
    buyer: row.buyer,
    lamports: row.lamports?.toString() ?? null,
    signature: row.signature,
    createdAt: row.createdAt.toISOString(),
  }
}

/** A checkout as its webhook told of its end: a later payment may have completed one that expired. */
export function endedCheckout(row: CheckoutRow, status: 'completed' | 'expired'): CheckoutRow {
  return status === 'expired' ? { ...row, status, purchaseId: null, buyer: null, lamports: null, signature: null } : row
}

/** A checkout as whoever has its address sees it. */
export function playerCheckoutReply(row: CheckoutRow, catalogue: Pick<Catalogue, 'nameOf'>): PlayerCheckout {
  const { id, status, tokenType, returnUrl, expiresAt, millisLeft } = row
  return {
    id,
    status,
    tokenType,
    tokenName: catalogue.nameOf(tokenType),
    amount: Number(row.amount),
    maxLamports: row.maxLamports?.toString() ?? null,
    returnUrl,
    expiresAt: expiresAt.toISOString(),
    millisLeft,
  }
}

/** A try to pay, as the database tells it: of a purchase, or of a payment that was refused. */
export interface AttemptRow {
  at: Date
  wallet: string
  purchaseId: string | null
  purchaseStatus: 'held' | 'settled' | 'ended' | null
  reason: string | null
}

const outcomes = { held: 'paying', settled: 'delivered', ended: 'unpaid' } as const

export function attemptReply({ at, wallet, purchaseId, purchaseStatus, reason }: AttemptRow): CheckoutAttempt {
  const outcome = purchaseStatus === null ? 'refused' : outcomes[purchaseStatus]
  return { at: at.toISOString(), wallet, outcome, reason, purchaseId }
}

/** The metadata in the head of a checkout's page. */
export function checkoutPage({ tokenType, amount }: Pick<CheckoutRow, 'tokenType' | 'amount'>, catalogue: Pick<Catalogue, 'nameOf'>) {
  return { title: `${Number(amount).toLocaleString('en')} ${catalogue.nameOf(tokenType)}`, description: 'Paid wallet to wallet, in SOL.' }
}

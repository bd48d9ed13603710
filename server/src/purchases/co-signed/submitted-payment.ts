import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { hashMessage } from '../../chain/transactions/message.ts'
import { type DecodedTransaction, decodeSignedTransaction } from '../../chain/transactions/signed-transaction.ts'
import { type CoSignerAddresses, paymentKeys } from '../purchase/co-signer.ts'
import { findCoSignedFlaw } from '../payment/signed-payment.ts'
import { type References } from '../purchase/reference.ts'
import { type PaymentName } from '../reservation/order.ts'

/** A payment that its buyer has signed and that only the market can complete. Nobody has checked yet what it buys. */
export interface SubmittedPayment extends PaymentName {
  bytes: Uint8Array
  /** The buyer's, which names the transaction on the chain. */
  signature: Signature
  /** The key of the market that signs it. */
  coSigner: string
  transaction: DecodedTransaction
}

interface Submission {
  buyer: WalletAddress
  reference: WalletAddress
  /** In base64. */
  transaction: string
}

/**
 * Decodes a submitted payment, and checks everything about it but what it pays.
 * @throws PAYMENT_REFUSED
 */
export function decodeSubmitted(
  { buyer, reference, transaction: base64 }: Submission,
  coSigners: CoSignerAddresses,
  references: References,
): SubmittedPayment {
  if (!references.isMadeFor(reference, 'purchase', buyer)) throw refused('its reference was not made for this wallet.')
  const transaction = decodeSignedTransaction(base64)
  if (!transaction) throw refused('it is not a signed Solana transaction.')
  const paid = transaction.instructions.flatMap(({ transfer }) => (transfer ? [transfer] : []))
  const flaw = findCoSignedFlaw(transaction, { from: buyer, transfers: paid, reference }, paymentKeys(coSigners), 'empty')
  if (flaw !== undefined) throw refused(flaw)
  const [, coSigner = coSigners.current] = transaction.signers
  const { bytes, signature } = transaction
  return { bytes, signature, coSigner, transaction, reference, messageHash: hashMessage(bytes) }
}

/** How a payment differs from what its items cost now; undefined if it does not. */
export function differenceFrom(
  { transaction, reference, coSigner }: SubmittedPayment,
  buyer: WalletAddress,
  transfers: readonly { to: WalletAddress; lamports: bigint }[],
): { kind: 'price' } | { kind: 'other'; flaw: string } | undefined {
  const flaw = findCoSignedFlaw(transaction, { from: buyer, transfers, reference }, [coSigner], 'empty')
  if (flaw === undefined) return undefined
  const paid = transaction.instructions.flatMap(({ transfer }) => (transfer ? [transfer.to] : []))
  const isSamePayees = paid.length === transfers.length && transfers.every(({ to }) => paid.includes(to))
  return isSamePayees ? { kind: 'price' } : { kind: 'other', flaw }
}

function refused(detail: string): Failure {
  return new Failure('PAYMENT_REFUSED', { detail })
}

/** Wallets that never completed a purchase get at most one in so many simulations while others wait. */
const SHARE_OF_NEWCOMERS = 3

/** A simulation under way, or about to be. */
export interface Turn {
  buyer: WalletAddress
  hasBought: boolean
}

/**
 * Whether one more simulation may begin: one at a time for each wallet, because each costs a request to the chain and the wallet nothing;
 * and while requests wait, wallets that never completed a purchase leave most of them to the others. One of them may always begin.
 */
export function mayBegin(underWay: readonly Turn[], next: Turn, { saturated }: { saturated: boolean }): boolean {
  if (underWay.some(({ buyer }) => buyer === next.buyer)) return false
  if (next.hasBought || !saturated) return true
  const newcomers = underWay.filter(({ hasBought }) => !hasBought).length
  return newcomers === 0 || (newcomers + 1) * SHARE_OF_NEWCOMERS <= underWay.length + 1
}

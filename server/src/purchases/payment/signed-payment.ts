import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type AccountInstruction, type SignedTransaction } from '../../chain/chain.ts'
import { hashMessage } from '../../chain/transactions/message.ts'
import { type DecodedTransaction, decodeSignedTransaction } from '../../chain/transactions/signed-transaction.ts'
import { type CoSignerAddresses, paymentKeys } from '../purchase/co-signer.ts'
import { type References } from '../purchase/reference.ts'
import { type PaymentName } from '../reservation/order.ts'

/** The lamports of an agreed transfer, or of one that was made. */
export interface PlannedTransfer {
  to: string
  lamports: bigint
}

/**
 * How the transfers that were made differ from those that were agreed. missing: an agreed one was not made. extra: one was made once too
 * often. amount: one pays its recipient a different amount. recipient: one pays someone who is not in the terms.
 */
export interface TransferMismatch extends PlannedTransfer {
  kind: 'missing' | 'extra' | 'amount' | 'recipient'
}

/** Compares transfers in any order. @returns the first mismatch; undefined if each agreed transfer was made once, and no other. */
export function findMismatch(agreed: readonly PlannedTransfer[], made: readonly PlannedTransfer[]): TransferMismatch | undefined {
  const missing = [...agreed]
  const others = made.filter(({ to, lamports }) => {
    const index = missing.findIndex((transfer) => transfer.to === to && transfer.lamports === lamports)
    if (index !== -1) missing.splice(index, 1)
    return index === -1
  })
  const [other] = others
  const [first] = missing
  if (!other) return first && { ...first, kind: 'missing' }
  if (!agreed.some(({ to }) => to === other.to)) return { ...other, kind: 'recipient' }
  return { ...other, kind: missing.some(({ to }) => to === other.to) ? 'amount' : 'extra' }
}

/** What a signed transaction must do: these transfers, each of them once and carrying the reference, and nothing else. */
export interface ExpectedPayment {
  from: string
  transfers: readonly { to: string; lamports: bigint }[]
  reference: string
}

/**
 * Programs that a wallet may add without moving the payer's SOL: Compute Budget (priority fees), both Memo programs, and Lighthouse, which
 * Phantom uses to guard a transaction against changes.
 */
const harmlessPrograms = new Set([
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
])

/** The accounts that a transfer has besides its sender and recipient, none of them writable. */
interface CarriedAccount {
  address: string
  signer: boolean
}

/**
 * Checks signed transaction bytes before they are recorded and sent: these transfers alone, paid for and signed by their payer alone,
 * and nothing else that could move SOL. An AdvanceNonceAccount instruction, which would let the bytes land at any later time,
 * is refused like any other.
 * @returns what is wrong, in words for people; undefined if nothing is.
 */
export function findPaymentFlaw(transaction: SignedTransaction, expected: ExpectedPayment): string | undefined {
  const { signers, signaturesValid, instructions } = transaction
  if (signers.length !== 1 || signers[0] !== expected.from) return 'only the paying wallet may sign it.'
  if (!signaturesValid) return 'its signature is not valid.'
  return findInstructionFlaw(instructions, expected)
}

/**
 * Checks bytes that their payer has signed, and that only the market can complete: these transfers alone, and nothing else that could move
 * SOL, land later than its blockhash allows, or use the market's signature for anything but these transfers.
 * @param coSigners the keys that may be the second signer
 * @param coSignature of bytes that the market has yet to sign, or has signed
 * @returns what is wrong, in words for people; undefined if nothing is.
 */
export function findCoSignedFlaw(
  transaction: SignedTransaction,
  expected: ExpectedPayment,
  coSigners: readonly string[],
  coSignature: 'empty' | 'valid',
): string | undefined {
  const { signers, signatureStates, version, usesLookupTables, instructions } = transaction
  const [payer, coSigner = ''] = signers
  if (signers.length !== 2 || payer !== expected.from || !coSigners.includes(coSigner)) {
    return 'the paying wallet and the co-signer of this market must sign it, and nobody else.'
  }
  if (signatureStates[0] !== 'valid') return 'its signature is not valid.'
  if (signatureStates[1] !== coSignature) return `the co-signer's signature is not ${coSignature}.`
  if (version === 1) return 'its version is not supported.'
  if (usesLookupTables) return 'it uses lookup tables.'
  const flaw = findInstructionFlaw(instructions, expected, coSigner)
  if (flaw) return flaw
  const isNamed = othersOf(instructions).some(({ accounts }) => namesAny(accounts, [expected.reference, coSigner]))
  return isNamed ? 'it names the reference or the co-signer outside its transfers.' : undefined
}

/** What is wrong with the instructions of a payment, whoever has signed it. */
function findInstructionFlaw(
  instructions: readonly AccountInstruction[],
  { from, transfers, reference }: ExpectedPayment,
  coSigner?: string,
): string | undefined {
  if (othersOf(instructions).some(({ program }) => !harmlessPrograms.has(program))) return 'it does something besides this payment.'
  const made = instructions.flatMap(({ transfer }) => (transfer ? [transfer] : []))
  if (made.some((transfer) => transfer.from !== from)) return 'it pays from another wallet.'
  const mismatch = findMismatch(transfers, made)
  if (mismatch) return describeMismatch(mismatch)
  const carried = [{ address: reference, signer: false }, ...(coSigner === undefined ? [] : [{ address: coSigner, signer: true }])]
  const payments = instructions.filter(({ transfer }) => transfer)
  if (payments.every((payment) => carriesOnly(payment, carried))) return undefined
  return coSigner === undefined
    ? "it does not carry this purchase's reference."
    : "a transfer does not carry this purchase's reference and the co-signer, and nothing else."
}

/** The instructions that make no transfer. */
function othersOf(instructions: readonly AccountInstruction[]): AccountInstruction[] {
  return instructions.filter(({ transfer }) => !transfer)
}

function namesAny(accounts: AccountInstruction['accounts'], addresses: readonly string[]): boolean {
  return accounts.some((account) => account !== undefined && addresses.includes(account.address))
}

function describeMismatch({ kind, to, lamports }: TransferMismatch): string {
  switch (kind) {
    case 'missing':
      return `it lacks the transfer of ${lamports} lamports to ${to}.`
    case 'extra':
      return `it holds one transfer too many to ${to}.`
    case 'amount':
      return `its amount for ${to} differs from what was agreed.`
    case 'recipient':
      return `it pays another wallet, ${to}.`
  }
}

/** After its two parties, a transfer has only these accounts, in any order. */
function carriesOnly({ accounts }: AccountInstruction, carried: readonly CarriedAccount[]): boolean {
  const others = accounts.slice(2)
  const isThere = ({ address, signer }: CarriedAccount) =>
    others.some((account) => account?.address === address && account.signer === signer && !account.writable)
  return others.length === carried.length && carried.every(isThere)
}

/**
 * Decodes signed bytes from outside and checks that they make exactly the expected payment.
 * @param coSigners keys of the market: bytes that name one of them must wait for its signature
 * @throws PAYMENT_REFUSED
 */
export function decodePayment(base64: string, expected: ExpectedPayment, coSigners: readonly string[] = []) {
  const transaction = decodeSignedTransaction(base64)
  if (!transaction) throw refused('it is not a signed Solana transaction.')
  const coSigner = transaction.signers.find((signer) => coSigners.includes(signer))
  const flaw =
    coSigner === undefined ? findPaymentFlaw(transaction, expected) : findCoSignedFlaw(transaction, expected, [coSigner], 'empty')
  if (flaw) throw refused(flaw)
  return transaction
}

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

/** The bytes are not the payment that they should be, in words that complete the sentence of the code. */
export function refused(detail: string): Failure {
  return new Failure('PAYMENT_REFUSED', { detail })
}

import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

import { type Instruction, type LandedTransaction } from '../../chain/chain.ts'

/** What a buyer agreed to pay when the hold was placed. */
export interface PaymentTerms {
  buyer: WalletAddress
  seller: WalletAddress
  lamports: Lamports
  /** The purchase's own public key (Solana Pay's reference). */
  reference: string
  heldAtSlot: bigint
}

/**
 * pays: exactly the agreed payment. wrong: the buyer paid the seller, but not as agreed; `lamports` is what moved without another
 * purchase's reference, `referencedLamports` the part of it that carries this one's. unrelated: not a payment for this purchase.
 * `referenced`: it carries the purchase's reference, so it can be meant for no other.
 */
export type PaymentVerdict =
  | { kind: 'pays'; referenced: boolean }
  | { kind: 'wrong'; referenced: boolean; lamports: bigint; referencedLamports: bigint; reason: string }
  | { kind: 'unrelated'; reason: string }

/** The accounts of a transfer that carries no reference: sender and recipient. */
const UNREFERENCED_ACCOUNTS = 2

/** The accounts of a landed transaction's transfers that may be several references at once; none if each carries one at most. */
export function ambiguousReferences({ instructions }: LandedTransaction): string[] {
  const carried = instructions.filter(({ transfer }) => transfer).map(({ accounts }) => accounts.slice(UNREFERENCED_ACCOUNTS))
  return carried.some(({ length }) => length > 1) ? [...new Set(carried.flat())] : []
}

/**
 * Verifies a transaction that the chain accepted, by its content alone: block time, the position of an instruction and differences
 * of balances prove nothing. It must hold exactly one System transfer from buyer to seller, top-level, of the exact amount, which
 * either carries the purchase's reference or, if made since the hold, none. A transfer that carries several known references counts
 * for the first alone, or its SOL would count several times.
 */
export function verifyPayment(
  transaction: LandedTransaction,
  terms: PaymentTerms,
  knownReferences: ReadonlySet<string> = new Set(),
): PaymentVerdict {
  if (transaction.failed) return unrelated('it failed on the chain, so no SOL moved')
  if (!transaction.signers.includes(terms.buyer)) return unrelated('it was not signed by the buyer')
  const paid = transaction.instructions.filter((instruction) => isPayment(instruction, terms))
  const inner = transaction.innerInstructions.filter((instruction) => isPayment(instruction, terms))
  if (paid.length + inner.length === 0) return unrelated('it moves no SOL from the buyer to the seller')
  const ours = paid.filter((payment) => referenceOf(payment, terms, knownReferences) === terms.reference)
  const unreferenced = paid.filter(isUnreferenced)
  if (ours.length + unreferenced.length + inner.length === 0) return unrelated('it pays for another purchase')
  const referenced = transaction.instructions.some((instruction) => instruction.accounts.includes(terms.reference))
  if (!referenced && transaction.slot < terms.heldAtSlot) return unrelated('it is older than your purchase')
  if (!referenced && unreferenced.length < paid.length) return unrelated('it pays for another purchase')
  const reason = findFlaw({ paid, ours, inner }, terms, referenced)
  if (reason === undefined) return { kind: 'pays', referenced }
  const lamports = sumOf([...ours, ...unreferenced, ...inner])
  return { kind: 'wrong', referenced, lamports, referencedLamports: sumOf(ours), reason }
}

interface Transfers {
  paid: Instruction[]
  ours: Instruction[]
  inner: Instruction[]
}

function findFlaw({ paid, ours, inner }: Transfers, terms: PaymentTerms, referenced: boolean): string | undefined {
  const [payment] = paid
  if (inner.length > 0) return 'a program made the transfer, not the buyer'
  if (!payment || paid.length !== 1) return 'it holds more than one transfer to the seller'
  if (payment.transfer?.lamports !== terms.lamports) return 'the amount differs from the price'
  if (referenced && !ours.includes(payment)) return 'the reference is not on the transfer'
  return undefined
}

/** The first known reference that a transfer carries. */
function referenceOf({ accounts }: Instruction, { reference }: PaymentTerms, known: ReadonlySet<string>): string | undefined {
  return accounts.slice(UNREFERENCED_ACCOUNTS).find((account) => account === reference || known.has(account))
}

function sumOf(payments: readonly Instruction[]): bigint {
  return payments.reduce((total, { transfer }) => total + (transfer?.lamports ?? 0n), 0n)
}

function isPayment({ transfer }: Instruction, { buyer, seller }: PaymentTerms): boolean {
  return transfer?.from === buyer && transfer.to === seller
}

function isUnreferenced({ accounts }: Instruction): boolean {
  return accounts.length === UNREFERENCED_ACCOUNTS
}

function unrelated(reason: string): PaymentVerdict {
  return { kind: 'unrelated', reason }
}

import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

import { type Instruction, type LandedTransaction } from '../../chain/chain.ts'

/** What a buyer agreed to pay when the hold was made. */
export interface PaymentTerms {
  buyer: WalletAddress
  seller: WalletAddress
  lamports: Lamports
  /** The purchase's own public key (Solana Pay's reference). */
  reference: string
  heldAtSlot: bigint
}

/**
 * pays: exactly the agreed payment. wrong: the buyer paid the seller, but not as agreed; `lamports` is what moved and names no other
 * purchase, `named` the part of it whose transfers name this one. unrelated: it is not a payment for this purchase.
 * `referenced`: it names the purchase, so it can be meant for no other.
 */
export type PaymentVerdict =
  | { kind: 'pays'; referenced: boolean }
  | { kind: 'wrong'; referenced: boolean; lamports: bigint; named: bigint; reason: string }
  | { kind: 'unrelated'; reason: string }

/** A transfer without a reference has just its two parties. */
const PLAIN_TRANSFER_ACCOUNTS = 2

/**
 * Accounts by which the transfers of a transaction may name several purchases or refunds at once; none where each names one at most.
 */
export function ambiguousReferences({ instructions }: LandedTransaction): string[] {
  const names = instructions.filter(({ transfer }) => transfer).map(({ accounts }) => accounts.slice(PLAIN_TRANSFER_ACCOUNTS))
  return names.some(({ length }) => length > 1) ? [...new Set(names.flat())] : []
}

/**
 * Judges a transaction that the chain accepted, by what it says alone: block time, the position of an instruction and
 * balance differences prove nothing. Exactly one System transfer from buyer to seller may stand in it, at the top level,
 * of the exact amount, and either it names the purchase or, made since the hold, it names nothing. A transfer that names several of
 * our `references` counts for the first alone, or its SOL would count several times.
 */
export function verifyPayment(
  transaction: LandedTransaction,
  terms: PaymentTerms,
  references: ReadonlySet<string> = new Set([terms.reference]),
): PaymentVerdict {
  if (transaction.failed) return unrelated('it failed on the chain, so no SOL moved')
  if (!transaction.signers.includes(terms.buyer)) return unrelated('it was not signed by the buyer')
  const paid = transaction.instructions.filter((instruction) => isPayment(instruction, terms))
  const hidden = transaction.innerInstructions.filter((instruction) => isPayment(instruction, terms))
  if (paid.length + hidden.length === 0) return unrelated('it moves no SOL from the buyer to the seller')
  const named = paid.filter(
    (payment) => payment.accounts.slice(PLAIN_TRANSFER_ACCOUNTS).find((name) => references.has(name)) === terms.reference,
  )
  const plain = paid.filter(isPlain)
  if (named.length + plain.length + hidden.length === 0) return unrelated('it names another purchase')
  const referenced = transaction.instructions.some((instruction) => instruction.accounts.includes(terms.reference))
  if (!referenced && transaction.slot < terms.heldAtSlot) return unrelated('it was made before the lot was held')
  if (!referenced && plain.length < paid.length) return unrelated('it names another purchase')
  const reason = findFlaw({ paid, named, hidden }, terms, referenced)
  if (reason === undefined) return { kind: 'pays', referenced }
  return { kind: 'wrong', referenced, lamports: sumOf([...named, ...plain, ...hidden]), named: sumOf(named), reason }
}

interface Transfers {
  paid: Instruction[]
  named: Instruction[]
  hidden: Instruction[]
}

function findFlaw({ paid, named, hidden }: Transfers, terms: PaymentTerms, referenced: boolean): string | undefined {
  const [payment] = paid
  if (hidden.length > 0) return 'a program made the transfer, not the buyer'
  if (!payment || paid.length !== 1) return 'it holds more than one transfer to the seller'
  if (payment.transfer?.lamports !== terms.lamports) return 'the amount differs from the price'
  if (referenced && !named.includes(payment)) return 'the reference is not on the transfer'
  return undefined
}

function sumOf(payments: readonly Instruction[]): bigint {
  return payments.reduce((total, { transfer }) => total + (transfer?.lamports ?? 0n), 0n)
}

function isPayment({ transfer }: Instruction, { buyer, seller }: PaymentTerms): boolean {
  return transfer?.from === buyer && transfer.to === seller
}

function isPlain({ accounts }: Instruction): boolean {
  return accounts.length === PLAIN_TRANSFER_ACCOUNTS
}

function unrelated(reason: string): PaymentVerdict {
  return { kind: 'unrelated', reason }
}

import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'
import { type Instruction, type LandedTransaction, type Transfer } from '../../chain/chain.ts'
import { findMismatch, type TransferMismatch } from './signed-payment.ts'

/** SOL that a landed transaction moved. */
export interface Movement extends Transfer {
  /** The first known reference that it carries. */
  reference: string | undefined
  /** It carries no reference: it has no accounts besides its two parties. */
  bare: boolean
  /** A program made it (CPI), not the signer. */
  inner: boolean
}

/** The accounts of a transfer without a reference: sender and recipient. */
const PARTIES = 2

/**
 * All System transfers of a landed transaction, top-level ones first.
 * @param isReference whether an account is a known reference, for a transfer of this wallet
 */
export function movementsOf(
  { instructions, innerInstructions }: LandedTransaction,
  isReference: (account: string, from: string) => boolean,
): Movement[] {
  const read = (from: readonly Instruction[], inner: boolean) =>
    from.flatMap(({ transfer, accounts }): Movement[] => {
      if (!transfer) return []
      const reference = accounts.slice(PARTIES).find((account) => isReference(account, transfer.from))
      return [{ ...transfer, reference, bare: accounts.length === PARTIES, inner }]
    })
  return [...read(instructions, false), ...read(innerInstructions, true)]
}

/** Whether SOL moved from the buyer to one of the recipients. */
function isBetween({ from, to }: Transfer, terms: { buyer: string; transfers: readonly { to: string }[] }): boolean {
  return from === terms.buyer && terms.transfers.some((transfer) => transfer.to === to)
}

/** Every account that may be a reference, once each: first those that top-level transfers belong to, in their order. */
function referencesInOrder({ instructions, innerInstructions }: LandedTransaction, movements: readonly Movement[]): string[] {
  const owners = movements.flatMap(({ inner, reference }) => (inner || reference === undefined ? [] : [reference]))
  const carried = [...instructions, ...innerInstructions.filter(({ transfer }) => transfer)].flatMap(({ accounts }) => accounts)
  return [...new Set([...owners, ...carried])]
}

/**
 * The accounts of a landed transaction that must be looked up among the known references: those its transfers carry, and those its other
 * instructions name. None if its only transfer carries at most one account and nothing else names any: then verifying it for a purchase
 * shows whether it carries that purchase's reference.
 */
export function ambiguousReferences({ instructions, innerInstructions, signers }: LandedTransaction): string[] {
  const transfers = [...instructions, ...innerInstructions].filter(({ transfer }) => transfer)
  const carried = transfers.flatMap(({ accounts }) => accounts.slice(PARTIES))
  const others = instructions.filter(({ transfer }) => !transfer).flatMap(({ accounts }) => accounts)
  const mentioned = others.filter((account) => !signers.includes(account) && !carried.includes(account))
  if (transfers.length === 0 || (transfers.length === 1 && carried.length <= 1 && mentioned.length === 0)) return []
  return [...new Set([...carried, ...mentioned])]
}

/** What a buyer agreed to pay when the hold was placed. */
export interface PaymentTerms {
  buyer: WalletAddress
  /** One for each transfer to make. Two may have the same recipient. */
  transfers: readonly { to: WalletAddress; lamports: Lamports }[]
  /** The purchase's own public key (Solana Pay's reference). */
  reference: string
  heldAtSlot: bigint
}

/** The terms of a purchase whose reference a transaction names. */
export interface KnownPurchase extends PaymentTerms {
  id: string
}

/** The references among the accounts that a transaction names: of a purchase, or of a refund (null). */
export type KnownReferences = ReadonlyMap<string, KnownPurchase | null>

/** What one recipient of a purchase's terms received for this purchase alone. */
export interface Received {
  to: WalletAddress
  lamports: bigint
  /** The part of it that carries the purchase's reference. */
  referencedLamports: bigint
}

/**
 * pays: exactly the agreed payment. wrong: the buyer paid one of the terms' recipients, but not as agreed. unrelated: not a payment for
 * this purchase. `referenced`: it names the purchase's reference, so it can only be meant for purchases that it names.
 */
export type PaymentVerdict =
  | { kind: 'pays'; referenced: boolean }
  | ({ kind: 'wrong' } & WrongPayment)
  | { kind: 'unrelated'; reason: string }

export interface WrongPayment {
  referenced: boolean
  /** Only recipients who received something. */
  received: readonly Received[]
  reason: string
  /** It is exactly what was agreed, but its transaction pays for another purchase first. */
  complete: boolean
  /** The other purchase that the transaction pays for. */
  paidPurchase: string | undefined
}

/**
 * Verifies a transaction that the chain accepted, by its content alone: block time, the position of an instruction and differences
 * of balances prove nothing. It must hold each agreed transfer exactly once, top-level and carrying the purchase's reference, and no other
 * transfer from the buyer to any of these recipients, top-level or by a program, except those that carry another known reference: a
 * transfer belongs to the first purchase or refund that it names, and to it alone. A purchase with a single transfer can also be paid by a
 * transfer without a reference, if it was made since the hold. A transaction pays for one purchase: the first that its transfers name.
 */
export function verifyPayment(transaction: LandedTransaction, terms: PaymentTerms, known: KnownReferences = new Map()): PaymentVerdict {
  if (transaction.failed) return unrelated('it failed on the chain, so no SOL moved')
  if (!transaction.signers.includes(terms.buyer)) return unrelated('it was not signed by the buyer')
  const movements = movementsOf(transaction, (account) => account === terms.reference || known.has(account))
  const named = purchasesNamedBy(transaction, movements, new Map<string, Named | null>([...known, [terms.reference, terms]]))
  const referenced = named.includes(terms)
  const toRecipients = movements.filter((movement) => isBetween(movement, terms))
  if (toRecipients.every(({ lamports }) => lamports === 0n)) return unrelated('it moves no SOL from the buyer to the seller')
  const owned = toRecipients.filter((movement) => ownerOf(movement, named) === (referenced ? terms.reference : undefined))
  if (owned.every(({ lamports }) => lamports === 0n)) return unrelated('it pays for another purchase')
  if (!referenced && transaction.slot < terms.heldAtSlot) return unrelated('it is older than your purchase')
  if (!referenced && owned.some(({ inner, bare }) => !inner && !bare)) return unrelated('it pays for another purchase')
  const flaw = findFlaw(movements, terms, referenced)
  const paid = named.find((purchase) => findFlaw(movements, purchase, true) === undefined)
  const other = paid === terms ? undefined : paid
  if (!flaw && !other) return { kind: 'pays', referenced }
  const reason = flaw ?? 'its transaction paid for another purchase first'
  return { kind: 'wrong', referenced, received: receivedOf(owned, terms), reason, complete: !flaw, paidPurchase: other?.id }
}

/** What wallets add by themselves: Compute Budget, and Lighthouse, which Phantom uses to guard a transaction. */
const addedPrograms = new Set(['ComputeBudget111111111111111111111111111111', 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'])

/** Whether a transaction is all that a client without references makes: one transfer, signed by one wallet. A memo is for somebody else. */
export function isPlain({ signers, instructions, innerInstructions }: LandedTransaction): boolean {
  const others = instructions.filter(({ transfer }) => !transfer)
  const transfers = instructions.length - others.length + innerInstructions.filter(({ transfer }) => transfer).length
  return signers.length === 1 && transfers === 1 && others.every(({ program }) => addedPrograms.has(program))
}

/** Everything that a payment moved for one purchase, to any recipient. */
export function totalReceived(received: readonly Received[]): bigint {
  return received.reduce((total, { lamports }) => total + lamports, 0n)
}

/** What each recipient receives if everything is paid as agreed. */
export function receivedAsAgreed({ transfers }: PaymentTerms, { referenced }: { referenced: boolean }): readonly Received[] {
  return sumByRecipient(transfers.map((transfer) => ({ ...transfer, referenced })))
}

/** A purchase that the transaction names; only the one being verified has no identifier. */
type Named = PaymentTerms & { id?: string }

/** The purchases that a transaction names: those that its own transfers belong to in their order, then those named elsewhere. */
function purchasesNamedBy(
  transaction: LandedTransaction,
  movements: readonly Movement[],
  known: ReadonlyMap<string, Named | null>,
): readonly Named[] {
  return referencesInOrder(transaction, movements).flatMap((reference) => known.get(reference) ?? [])
}

/** The reference that a movement belongs to: its own, or that of the first named purchase that it could be meant for. */
function ownerOf(movement: Movement, named: readonly Named[]): string | undefined {
  return movement.reference ?? named.find((purchase) => isBetween(movement, purchase))?.reference
}

/** Why a transaction is not the agreed payment, ignoring what it does for other purchases. */
function findFlaw(movements: readonly Movement[], terms: PaymentTerms, referenced: boolean): string | undefined {
  const { reference, transfers } = terms
  const paid = movements.filter((movement) => isBetween(movement, terms) && (movement.reference ?? reference) === reference)
  if (paid.some(({ inner }) => inner)) return 'a program made a transfer, not the buyer'
  const mismatch = findMismatch(transfers, paid)
  if (mismatch) return mismatchWords[mismatch.kind]
  if (referenced ? paid.some((movement) => movement.reference !== reference) : transfers.length > 1) {
    return 'the reference is not on every transfer'
  }
  return undefined
}

const mismatchWords: Record<TransferMismatch['kind'], string> = {
  missing: 'a transfer is missing',
  extra: 'it holds one transfer too many',
  amount: 'an amount differs from what was agreed',
  recipient: 'it pays somebody with whom nothing was agreed',
}

function receivedOf(owned: readonly Movement[], { transfers, reference }: PaymentTerms): readonly Received[] {
  const paid = transfers.flatMap(({ to }, index) => {
    const isRepeated = transfers.findIndex((transfer) => transfer.to === to) < index
    return isRepeated ? [] : owned.filter((movement) => movement.to === to).map((movement) => ({ ...movement, to }))
  })
  return sumByRecipient(paid.map(({ to, lamports, ...movement }) => ({ to, lamports, referenced: movement.reference === reference })))
}

function sumByRecipient(paid: readonly { to: WalletAddress; lamports: bigint; referenced: boolean }[]): readonly Received[] {
  const sums = new Map<WalletAddress, Received>()
  for (const { to, lamports, referenced } of paid) {
    const sum = sums.get(to) ?? { to, lamports: 0n, referencedLamports: 0n }
    const referencedLamports = sum.referencedLamports + (referenced ? lamports : 0n)
    sums.set(to, { to, lamports: sum.lamports + lamports, referencedLamports })
  }
  return [...sums.values()].filter(({ lamports }) => lamports > 0n)
}

function unrelated(reason: string): PaymentVerdict {
  return { kind: 'unrelated', reason }
}

import { type Instruction, type LandedTransaction, type Transfer } from '../../chain/chain.ts'

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
export function isBetween({ from, to }: Transfer, terms: { buyer: string; transfers: readonly { to: string }[] }): boolean {
  return from === terms.buyer && terms.transfers.some((transfer) => transfer.to === to)
}

/** Every account that may be a reference, once each: first those that top-level transfers belong to, in their order. */
export function referencesInOrder({ instructions, innerInstructions }: LandedTransaction, movements: readonly Movement[]): string[] {
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

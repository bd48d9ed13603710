import { type AccountInstruction, type SignedTransaction } from '../../chain/chain.ts'
import { findMismatch, type TransferMismatch } from './transfer-mismatch.ts'

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
  const others = instructions.filter((instruction) => !instruction.transfer)
  if (others.some((instruction) => !harmlessPrograms.has(instruction.program))) return 'it does something besides this payment.'
  const made = instructions.flatMap(({ transfer }) => (transfer ? [transfer] : []))
  if (made.some(({ from }) => from !== expected.from)) return 'it pays from another wallet.'
  const mismatch = findMismatch(expected.transfers, made)
  if (mismatch) return describeMismatch(mismatch)
  const payments = instructions.filter((instruction) => instruction.transfer)
  if (!payments.every((payment) => carriesOnly(payment, expected.reference))) return "it does not carry this purchase's reference."
  return undefined
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

/** After its two parties, a transfer has only the reference, which does not sign and is read-only. */
function carriesOnly({ accounts }: AccountInstruction, reference: string): boolean {
  const carried = accounts[2]
  return accounts.length === 3 && carried?.address === reference && !carried.signer && !carried.writable
}

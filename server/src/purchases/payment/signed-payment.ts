import { type AccountInstruction, type InstructionAccount, type SignedTransaction } from '../../chain/chain.ts'

/** The one transfer that a signed transaction may hold. */
export interface ExpectedTransfer {
  from: string
  to: string
  lamports: bigint
  reference: string
}

/**
 * Programs that a wallet may add without moving the payer's SOL: Compute Budget (priority fees), both Memo programs, and Lighthouse,
 * with which Phantom guards a transaction against being changed.
 */
const harmlessPrograms = new Set([
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
])

/**
 * Checks signed transaction bytes before they are recorded and sent: this transfer alone, paid for and signed by its payer alone,
 * and nothing else that could move SOL. An AdvanceNonceAccount instruction, which would let the bytes land at any later time,
 * is refused like any other.
 * @returns what is wrong, in words for people; undefined if nothing is.
 */
export function findPaymentFlaw(transaction: SignedTransaction, expected: ExpectedTransfer): string | undefined {
  const transfers = transaction.instructions.filter((instruction) => instruction.transfer)
  const others = transaction.instructions.filter((instruction) => !instruction.transfer)
  const [payment] = transfers
  if (transaction.signers.length !== 1 || transaction.signers[0] !== expected.from) return 'only the paying wallet may sign it.'
  if (!transaction.signaturesValid) return 'its signature is not valid.'
  if (!payment || transfers.length !== 1) return 'it must hold exactly one transfer.'
  if (others.some((instruction) => !harmlessPrograms.has(instruction.program))) return 'it does something besides this payment.'
  return transferFlaw(payment, expected)
}

function transferFlaw({ transfer, accounts }: AccountInstruction, expected: ExpectedTransfer): string | undefined {
  if (transfer?.from !== expected.from || transfer.to !== expected.to) return 'it pays another wallet.'
  if (transfer.lamports !== expected.lamports) return 'its amount differs from the price.'
  const reference = accounts[2]
  if (accounts.length !== 3 || !isReference(reference, expected.reference)) return "it does not carry this purchase's reference."
  return undefined
}

function isReference(account: InstructionAccount | undefined, reference: string): boolean {
  return account?.address === reference && !account.signer && !account.writable
}

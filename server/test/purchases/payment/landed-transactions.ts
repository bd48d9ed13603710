import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type Instruction, type LandedTransaction } from '../../../src/chain/chain.ts'
import { type KnownPurchase, type KnownReferences } from '../../../src/purchases/payment/landed-payment.ts'

/** A purchase by `buyer` whose reference is called after it, and what it pays to whom. */
export function purchaseOf(id: string, buyer: string, ...transfers: readonly (readonly [to: string, amount: bigint])[]): KnownPurchase {
  return {
    id,
    buyer: buyer as WalletAddress,
    transfers: transfers.map(([to, amount]) => ({ to: to as WalletAddress, lamports: lamports(amount) })),
    reference: referenceOf(id),
    heldAtSlot: 100n,
  }
}

export function referenceOf(id: string): string {
  return `reference of ${id}`
}

/** A System transfer that carries these accounts. */
export function moves(from: string, to: string, amount: bigint, carried: readonly string[] = []): Instruction {
  return { program: '11111111111111111111111111111111', accounts: [from, to, ...carried], transfer: { from, to, lamports: amount } }
}

/** The transfers that a purchase agreed on, each carrying its reference. */
export function paymentOf({ buyer, transfers, reference }: KnownPurchase): Instruction[] {
  return transfers.map(({ to, lamports: amount }) => moves(buyer, to, amount, [reference]))
}

/** An instruction of a program that moves no SOL and names these accounts. */
export function names(...accounts: string[]): Instruction {
  return { program: 'Memo', accounts, transfer: undefined }
}

/** A transaction that the chain has accepted, signed by all who pay in it. */
export function landedWith(instructions: Instruction[], innerInstructions: Instruction[] = []): LandedTransaction {
  const payers = [...instructions, ...innerInstructions].flatMap(({ transfer }) => (transfer ? [transfer.from] : []))
  const signers = [...new Set(payers)]
  return {
    signature: 'signature' as Signature,
    slot: 120n,
    failed: false,
    bytes: new Uint8Array(),
    signers,
    instructions,
    innerInstructions,
  }
}

/** What is known of the references of these purchases, and of these refunds. */
export function knownOf(purchases: readonly KnownPurchase[], refunds: readonly string[] = []): KnownReferences {
  return new Map([...purchases.map((it) => [it.reference, it] as const), ...refunds.map((it) => [it, null] as const)])
}

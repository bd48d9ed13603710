import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

/** A transaction can land for this many blocks after the blockhash it was signed with (Agave, `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_BLOCKS = 150n

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** What the cluster says of a signature; absent where no endpoint knows it, which proves nothing. */
export interface SignatureStatus {
  slot: bigint
  commitment: Commitment
  /** The transaction was charged its fee but did nothing. */
  failed: boolean
}

/** A System program transfer, wherever it stands in a transaction. */
export interface Transfer {
  from: string
  to: string
  lamports: bigint
}

export interface Instruction {
  program: string
  /** In the instruction's own order, lookup tables resolved. */
  accounts: string[]
  /** Set where this is a System program transfer. */
  transfer: Transfer | undefined
}

/** A transaction as the chain executed it. */
export interface LandedTransaction {
  signature: Signature
  slot: bigint
  failed: boolean
  /** The signed transaction as it was sent, to be sent again should the chain drop it. */
  bytes: Uint8Array
  signers: string[]
  instructions: Instruction[]
  /** Made by programs during execution, not written by the signer. */
  innerInstructions: Instruction[]
}

export interface AccountInstruction extends Omit<Instruction, 'accounts'> {
  /** `undefined` where the account stands in a lookup table. */
  accounts: (InstructionAccount | undefined)[]
}

export interface InstructionAccount {
  address: string
  signer: boolean
  writable: boolean
}

/** A signed transaction as a wallet hands it in, before anything was sent. */
export interface SignedTransaction {
  signature: Signature
  signers: string[]
  /** Every required signature is there and fits its signer. */
  signaturesValid: boolean
  blockhash: string
  instructions: AccountInstruction[]
}

export interface SignatureEntry {
  signature: Signature
  slot: bigint
  failed: boolean
}

/**
 * The finalized chain as one endpoint sees it at one moment. Absence means something only here: every answer is checked to be
 * no older than `slot`; an answer that is older, or no answer, or a connection lost since
 * and not proven again, throws CHAIN_DOWN: open a new view then.
 */
export interface FinalizedView {
  /** The chain that was looked at: a hold of another chain is not answered by this view. */
  genesisHash: string
  slot: bigint
  height: bigint
  /**
   * Signatures that name this address, from `sinceSlot` on, oldest first; reads every page. Throws CHAIN_DOWN where the endpoint no
   * longer keeps blocks that old. Some endpoints also give ones that are not finalized yet: presence here is a reason to look, only
   * absence is proof.
   */
  signaturesFor(address: string, sinceSlot: bigint): Promise<SignatureEntry[]>
  statusOf(signature: Signature): Promise<SignatureStatus | undefined>
}

/**
 * The chain as the purchase protocol needs it. Every call throws `Failure('CHAIN_DOWN')` where no endpoint could be asked;
 * none of them ever turns a failed call into an empty answer.
 */
export interface Chain {
  /** The chain's identity. Read again after every lost connection, so a restarted local chain is noticed. */
  genesisHash(): Promise<string>
  /** Whether the last probe of any endpoint succeeded; never throws. */
  isUp(): boolean
  /** Whether every endpoint is at its request rate, with requests of this server waiting: more would only wait longer. Never throws. */
  isSaturated(): boolean

  /** At `confirmed`, at most two seconds old; `fresh` asks anew. */
  balance(address: WalletAddress, options?: { fresh?: boolean }): Promise<Lamports>
  /** What an account without data must hold. */
  rentExemptMinimum(): Promise<Lamports>
  /** At `confirmed`, at most a second old. */
  latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }>

  /** Highest processed slot of any endpoint; never lower than one given before for this chain. */
  highestSlot(): Promise<bigint>
  /** Highest block height of any endpoint, at any commitment; never lower than one given before for this chain. */
  highestBlockHeight(): Promise<bigint>
  finalized(): Promise<FinalizedView>

  /** True where some endpoint takes the blockhash for still valid. */
  isBlockhashValid(blockhash: string): Promise<boolean>
  /**
   * Runs the transaction without sending it; gives why it would fail, in words for people that can follow a colon. Undefined where it
   * would not fail, and where the chain has executed it already: its status tells how that ended.
   */
  simulate(transaction: Uint8Array): Promise<string | undefined>
  /** Hands the bytes to every endpoint. Best effort: whether it landed is learned from `statuses` alone. */
  broadcast(transaction: Uint8Array): Promise<void>

  /** The best status that any endpoint knows, for any number of signatures. */
  statuses(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>>
  /** The transaction at commitment `confirmed` or above; undefined where no endpoint has it, which proves nothing. */
  transaction(signature: Signature): Promise<LandedTransaction | undefined>
  /** Newest signatures that name this address at `confirmed`, not before `sinceSlot`, newest first, at most `limit`. */
  recentSignatures(address: string, sinceSlot: bigint, limit: number): Promise<SignatureEntry[]>
}

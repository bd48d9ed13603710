import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

/** A transaction can land for this many blocks after the blockhash it was signed with (Agave, `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_BLOCKS = 150n

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** What the cluster says about a signature. No status proves nothing: the endpoint may not know it yet. */
export interface SignatureStatus {
  slot: bigint
  commitment: Commitment
  /** The transaction paid its fee but had no effect. */
  failed: boolean
}

/** A System program transfer: SOL that moves from one account to another. */
export interface Transfer {
  from: string
  to: string
  lamports: bigint
}

export interface Instruction {
  program: string
  /** In the order of the instruction, lookup tables resolved. */
  accounts: string[]
  /** Set if this is a System program transfer. */
  transfer: Transfer | undefined
}

/** A transaction as the chain executed it. */
export interface LandedTransaction {
  signature: Signature
  slot: bigint
  failed: boolean
  /** The signed transaction as it was sent, to be sent again if the chain drops it. */
  bytes: Uint8Array
  signers: string[]
  instructions: Instruction[]
  /** Those that programs made during execution (CPI), not the signer. */
  innerInstructions: Instruction[]
}

/** An instruction of a transaction that has not landed yet, with what each account may do. */
export interface AccountInstruction extends Omit<Instruction, 'accounts'> {
  /** `undefined` for an account in a lookup table. */
  accounts: (InstructionAccount | undefined)[]
}

export interface InstructionAccount {
  address: string
  signer: boolean
  writable: boolean
}

/** A signed transaction as a wallet returns it, before it is sent. */
export interface SignedTransaction {
  signature: Signature
  signers: string[]
  /** Every required signature is present and valid. */
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
 * The finalized chain as one endpoint sees it at one moment: the only place where absence is proof. Every answer is checked to be no
 * older than `slot`. If it is, or there is none, or the connection was lost since and has not proven its chain again, the call throws
 * `Failure` CHAIN_DOWN: open a new view then.
 */
export interface FinalizedView {
  /** The chain that this is a view of: it says nothing about a hold of another one. */
  genesisHash: string
  slot: bigint
  height: bigint
  /**
   * All transactions that mention this address since `sinceSlot`, oldest first. Some endpoints include ones that are not finalized yet,
   * so presence here is only a hint; absence is proof.
   *
   * @throws Failure CHAIN_DOWN also if the endpoint no longer keeps blocks that old.
   */
  signaturesFor(address: string, sinceSlot: bigint): Promise<SignatureEntry[]>
  statusOf(signature: Signature): Promise<SignatureStatus | undefined>
}

/**
 * The chain as the purchase protocol needs it. Every call throws `Failure` CHAIN_DOWN if no endpoint answers: a failed request never
 * becomes an empty answer.
 */
export interface Chain {
  /** The chain's identity, read again after every lost connection, so that a local chain that was reset is noticed. */
  genesisHash(): Promise<string>
  /** Whether the last probe of any endpoint succeeded; never throws. */
  isUp(): boolean
  /** Whether every endpoint is at its request rate, with requests of this server waiting: more would only wait longer. Never throws. */
  isSaturated(): boolean

  /** At `confirmed`, at most two seconds old; with `fresh` not from the cache. */
  balance(address: WalletAddress, options?: { fresh?: boolean }): Promise<Lamports>
  /** The least that an account without data may hold. */
  rentExemptMinimum(): Promise<Lamports>
  /** At `confirmed`, at most a second old. */
  latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }>

  /** The highest processed slot of any endpoint. Never decreases on one chain. */
  highestSlot(): Promise<bigint>
  /** The highest block height of any endpoint, at any commitment. Never decreases on one chain. */
  highestBlockHeight(): Promise<bigint>
  finalized(): Promise<FinalizedView>

  /** Whether any endpoint reports that the blockhash is still valid. */
  isBlockhashValid(blockhash: string): Promise<boolean>
  /**
   * Runs the transaction without sending it.
   *
   * @returns why it would fail, in words for players that can follow a colon. Undefined if it would succeed, or if the chain has executed
   * it already: then its status says how it ended.
   */
  simulate(transactionBytes: Uint8Array): Promise<string | undefined>
  /** Sends the transaction through every endpoint. Best effort: only `statuses` tells whether it landed. */
  broadcast(transactionBytes: Uint8Array): Promise<void>

  /** The best status that any endpoint knows, for any number of signatures; those that none knows are absent. */
  statuses(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>>
  /** The transaction at `confirmed` or above; undefined if no endpoint has it, which proves nothing. */
  transaction(signature: Signature): Promise<LandedTransaction | undefined>
  /** The newest transactions at `confirmed` that mention this address, none before `sinceSlot`, newest first, at most `limit`. */
  recentSignatures(address: string, sinceSlot: bigint, limit: number): Promise<SignatureEntry[]>
}

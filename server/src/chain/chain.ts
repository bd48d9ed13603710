import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

/** A transaction can land for this many blocks after the blockhash it was signed with (Agave, `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_BLOCKS = 150n
/** No transaction that was valid, or landed, by now can land so many blocks above the finalized chain: that is some 32 blocks behind. */
export const MOST_BLOCKS_AHEAD = 300n
/** Several times what any cluster reaches: a slot takes 214 ms on mainnet, and 50 ms in tests. */
export const MOST_SLOTS_PER_SECOND = 50

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** The cluster's status of a signature. The absence of a status proves nothing: the endpoint may not know the signature yet. */
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
  /** In the order of the instruction, with lookup tables resolved. */
  accounts: string[]
  /** Set if this is a System program transfer. */
  transfer: Transfer | undefined
}

/** A transaction as the chain executed it. */
export interface LandedTransaction {
  signature: Signature
  slot: bigint
  /** About when, as validators estimate it; undefined if the endpoint does not tell. */
  landedAt?: Date | undefined
  failed: boolean
  /** The signed transaction as it was sent, so that it can be sent again if the chain drops it. */
  bytes: Uint8Array
  signers: string[]
  instructions: Instruction[]
  /** Made by programs during execution (CPI), not by the signer. */
  innerInstructions: Instruction[]
  /**
   * Set if what no signature covers is the word of one endpoint of several: that it failed, which accounts its lookup tables hold, or that a
   * program moved SOL. alone: no other one shows it now. disputed: another one shows it otherwise.
   */
  doubt?: 'alone' | 'disputed'
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

/** Whether a signer has signed. empty: not yet, its place holds 64 zero bytes. invalid: these are not its signature of the message. */
export type SignatureState = 'valid' | 'empty' | 'invalid'

/** A signed transaction as a wallet returns it, before it is sent. */
export interface SignedTransaction {
  signature: Signature
  signers: string[]
  /** Of each of the signers, in their order. */
  signatureStates: SignatureState[]
  /** Every required signature is present and valid. */
  signaturesValid: boolean
  version: 'legacy' | 0 | 1
  /** Accounts come from lookup tables, which the bytes do not contain. */
  usesLookupTables: boolean
  blockhash: string
  instructions: AccountInstruction[]
}

export interface SignatureEntry {
  signature: Signature
  slot: bigint
  failed: boolean
}

/** The bounds of a part of an address's history. */
export interface HistoryRange {
  /** The older end. */
  sinceSlot: bigint
  /** The newer end, exclusive: a signature from an earlier part. Without it, the part begins with the newest entry. */
  before?: Signature | undefined
  /** The maximum length of the part, in pages of 1,000 signatures. */
  pages: number
}

/**
 * part: its entries, newest first; `older` is where the next part begins, undefined if the history is read down to its older end.
 * pruned: the endpoint keeps no blocks before `firstSlot`, so it cannot prove absence since the older end, and never will.
 * unknownStart: the endpoint does not know the signature at the newer end; begin again without one.
 */
export type HistoryPart =
  | { kind: 'part'; entries: SignatureEntry[]; older: Signature | undefined; pages: number }
  | { kind: 'pruned'; firstSlot: bigint }
  | { kind: 'unknownStart' }

/**
 * The finalized chain as one endpoint sees it at one moment: the only place where absence is proof. Every answer is checked to be no older
 * than `slot`. If an answer is older or missing, or the connection was lost and has not proved its chain again, the call throws `Failure`
 * CHAIN_DOWN: open a new view in that case.
 */
export interface FinalizedView {
  /** The endpoint's name. */
  endpoint: string
  /** The chain that this is a view of: it says nothing about a hold on a different chain. */
  genesisHash: string
  slot: bigint
  height: bigint
  /**
   * Transactions that mention this address since a slot, newest first. Some endpoints include ones that are not finalized yet, so presence
   * here is only a hint; absence is proof. A part that was read stays proved.
   */
  history(address: string, range: HistoryRange): Promise<HistoryPart>
  statusOf(signature: Signature): Promise<SignatureStatus | undefined>
}

/** The result of simulating a transaction. */
export type Simulation =
  /**
   * It would succeed, or the chain has executed it already: then its status says how it ended. `slot` is where it was simulated. `balance`
   * is what the buyer would have afterwards, if that was asked for and the chain has not executed it.
   */
  | { kind: 'valid'; slot: bigint; balance?: Lamports }
  /** Its blockhash is too old, or of another chain. */
  | { kind: 'expired' }
  /** Why it would fail, in words for players that can follow a colon. */
  | { kind: 'fails'; reason: string }

export interface SimulationOptions {
  /**
   * The buyer of a payment that its co-signer has yet to sign. No signature is verified, and the newest state counts (`processed`), so that
   * the balance afterwards includes everything that the buyer has sent.
   */
  awaitsCoSigner?: WalletAddress
}

/** How something is read from the chain; each call heeds some of these. */
export interface ReadOptions {
  /** The request uses only spare budget, and may wait a long time. */
  spare?: boolean
  /** Nobody has said that it is a payment: everything on which a payment depends goes first. */
  candidate?: boolean
  /** Asks every healthy endpoint, for answers that are part of a proof. By default, one is asked. */
  everywhere?: boolean
  /** Lists only what is older than this transaction. */
  before?: Signature | undefined
}

/** In which slot a transaction landed, as the endpoints of a chain tell it. */
export interface SlotsTold {
  /** One of each endpoint that knows it. */
  slots: readonly bigint[]
  /** How many do not answer, or do not know it. */
  silent: number
}

/** How much of the endpoints' request budget is used. */
export interface ChainBudget {
  /** Requests per second that all endpoints of this chain allow together; 0 if there are none. */
  perSecond: number
  /** Seconds of queued work ahead of a request that a new hold would add. */
  backlogSeconds: number
}

/**
 * The chain as the purchase protocol needs it. Every call throws `Failure` CHAIN_DOWN if no endpoint answers, and CHAIN_BUSY if none had
 * room for the request in time: a failed request never becomes an empty answer.
 */
export interface Chain {
  /** The chain's identity, read again after every lost connection, so that the reset of a local chain is noticed. */
  genesisHash(): Promise<string>
  /** Whether the last probe of any endpoint succeeded; never throws. */
  isUp(): boolean
  /**
   * Whether the last request to each endpoint of this chain succeeded, and each has answered what all were last asked to list of these
   * addresses or to say of these signatures; never throws. An endpoint that is busy, or answers with an error, works and yet has not
   * answered.
   */
  isWhole(...about: readonly string[]): boolean
  /** The names of the endpoints that may serve this chain, down or not. */
  endpoints(): readonly string[]
  /** Whether every endpoint is at its request rate and requests of this server are already waiting. Never throws. */
  isSaturated(): boolean
  /** Whether a request that only uses spare budget would be sent now. Never throws. */
  hasSpare(): boolean
  /** Never throws. */
  budget(): ChainBudget

  /** At `processed`, at most two seconds old; with `fresh`, not from the cache. */
  balance(address: WalletAddress, options?: { fresh?: boolean }): Promise<Lamports>
  /** The minimum balance of an account without data. */
  rentExemptMinimum(): Promise<Lamports>
  /** At `confirmed`, at most a second old. */
  latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }>

  /** The highest slot in any answer so far. Never decreases on one chain. */
  highestSlot(): Promise<bigint>
  /**
   * A slot that the chain has reached, up to two seconds ago, whatever one endpoint of several tells: the second highest that they tell now.
   * If only one answers, it is what that tells.
   */
  reachedSlot(): Promise<bigint>
  /**
   * The highest block height of any endpoint, at any commitment, read after the call. Never decreases on one chain. What can land by
   * then expires within `MOST_BLOCKS_AHEAD` of the finalized chain, whatever an endpoint tells.
   */
  highestBlockHeight(): Promise<bigint>
  /**
   * A block height above which a transaction can no longer land that was valid, or landed, at this slot: at most `MOST_BLOCKS_AHEAD` above
   * the finalized chain, whatever an endpoint tells.
   */
  expiryHeight(slot: bigint): Promise<bigint>
  /** `except` names endpoints to skip; if none is left, throws CHAIN_DOWN. */
  finalized(options?: { except?: ReadonlySet<string> }): Promise<FinalizedView>

  /**
   * Runs the transaction without sending it. That it would fail is asked of a second endpoint, if there is one. It has expired only if no
   * endpoint knows its blockhash, and one of them has seen as much of the chain as any answer before; else throws CHAIN_DOWN.
   */
  simulate(transactionBytes: Uint8Array, options?: SimulationOptions): Promise<Simulation>
  /**
   * Sends the transaction through one endpoint, and through another one if the same transaction is sent again. Best effort: only `statuses`
   * shows whether it landed.
   */
  broadcast(transactionBytes: Uint8Array): Promise<void>

  /**
   * The statuses that an endpoint of this chain knows, for any number of signatures; those that it does not know are absent. Each was
   * requested after the call began. If there are several endpoints, two of them must agree that a payment has failed.
   */
  statuses(signatures: readonly Signature[], options?: Pick<ReadOptions, 'everywhere'>): Promise<Map<Signature, SignatureStatus>>
  /**
   * Like `statuses`, but if there are several endpoints, two of them must agree that a status is `finalized`, and a payment that only one
   * of them knows has been read.
   */
  finality(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>>
  /** The transaction at `confirmed` or above; undefined if no endpoint has it, which proves nothing. */
  transaction(signature: Signature, options?: Pick<ReadOptions, 'spare' | 'candidate'>): Promise<LandedTransaction | undefined>
  /** Asks every endpoint for the slot of a transaction, before it counts as older than something. */
  landedSlots(signature: Signature, options?: Pick<ReadOptions, 'candidate'>): Promise<SlotsTold>
  /** The newest transactions at `confirmed` that mention this address, none before `sinceSlot`, newest first, at most `limit`. */
  recentSignatures(
    address: string,
    sinceSlot: bigint,
    limit: number,
    options?: Pick<ReadOptions, 'spare' | 'everywhere' | 'before'>,
  ): Promise<SignatureEntry[]>
}

/** The web app's way to the chain: takes one parsed JSON-RPC request, and returns the reply as JSON text. */
export type Relay = (request: unknown) => Promise<string>

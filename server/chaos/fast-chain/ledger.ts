import { randomBytes } from 'node:crypto'

import { base58 } from '@scure/base'

import { execute, type TransactionError } from './execution.ts'
import { type SignedTransaction, type Transaction } from './transaction.ts'

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** A transaction that is in a block. */
export interface LandedTransaction {
  transaction: Transaction
  block: Block
  err: TransactionError | null
  fee: bigint
  /** Of each of its accounts, before and after. */
  before: readonly bigint[]
  after: readonly bigint[]
}

interface Block {
  slot: number
  height: number
  blockhash: string
  /** In seconds since 1970. */
  time: number
  landed: LandedTransaction[]
  /** What the accounts had that it changed, until it is final. */
  undo: Map<string, bigint>
}

/** What a node at this commitment knows. */
interface View {
  slot: number
  height: number
}

type Outcome = { kind: 'executed'; err: TransactionError | null; after: ReadonlyMap<string, bigint> } | { kind: 'rejected'; err: Rejection }
type Rejection = 'BlockhashNotFound' | 'AlreadyProcessed' | TransactionError

/** How many blocks a transaction may come after its blockhash (Agave, `MAX_PROCESSING_AGE`). */
const BLOCKHASH_BLOCKS = 150
/** How many blocks above one make it confirmed: the next one's votes. */
const CONFIRMED_DEPTH = 1
/** And how many make it final (Agave, `MAX_LOCKOUT_HISTORY`). No fork that is abandoned is longer. */
export const FINAL_DEPTH = 31
/** On Solana, about one slot of twenty has no block, so that a height is no slot. */
const EVERY_EMPTY_SLOT = 20

/**
 * A chain that keeps the rules of Solana that payments depend on, and needs no time of its own: blockhashes that expire, commitment levels,
 * forks that undo what is not final, fees, rent and failed transactions. It knows transfers of the System program and nothing else.
 */
export class Ledger {
  readonly #balances = new Map<string, bigint>()
  readonly #bySignature = new Map<string, LandedTransaction>()
  readonly #byMessage = new Map<string, LandedTransaction>()
  readonly #byAddress = new Map<string, LandedTransaction[]>()
  /** Those that a blockhash or a fork may still concern, the newest last, which takes transactions. */
  #blocks: Block[]
  /** The newest final block. It never goes back. */
  #root: Block
  #slot: number

  constructor(firstSlot: number) {
    this.#slot = firstSlot
    this.#root = newBlock(firstSlot, firstSlot)
    this.#blocks = [this.#root]
    while (this.#blocks.length <= FINAL_DEPTH) this.nextSlot()
  }

  /** Ends the block that takes transactions, and begins the next one, unless its slot stays empty. */
  nextSlot(): void {
    this.#slot += 1
    if (this.#slot % EVERY_EMPTY_SLOT === 0) return
    this.#blocks.push(newBlock(this.#slot, this.#tip.height + 1))
    if (this.#blocks.length > BLOCKHASH_BLOCKS + FINAL_DEPTH + 1) this.#blocks.shift()
    const final = this.#blocks.at(-1 - FINAL_DEPTH)
    if (!final || final.height <= this.#root.height) return
    this.#root = final
    final.undo.clear()
  }

  /**
   * The newest blocks become part of a fork that the cluster abandons: what they did is undone, and their blockhashes are unknown.
   * @param blocks at most all that are not final
   * @returns the signatures of their transactions, which may land again
   */
  fork(blocks: number): string[] {
    const mostBlocks = this.#newerThan('finalized').length
    const abandoned = this.#blocks.splice(this.#blocks.length - Math.min(blocks, mostBlocks))
    for (const { undo, landed } of abandoned.toReversed()) {
      for (const [address, lamports] of undo) this.#balances.set(address, lamports)
      for (const each of landed) this.#forget(each)
    }
    this.#slot += 1
    this.#blocks.push(newBlock(this.#slot, this.#tip.height + 1))
    return abandoned.flatMap(({ landed }) => landed.map(({ transaction }) => transaction.signature))
  }

  /** Adds lamports to an account out of nothing, as a faucet of a test network does, in no transaction. */
  airdrop(address: string, lamports: bigint): void {
    this.#write(address, this.balanceOf(address, 'processed') + lamports)
  }

  /** Executes a transaction in the block that takes them. Signatures that are wrong never get this far. */
  execute(transaction: SignedTransaction): Outcome {
    const outcome = this.simulate(transaction, 'processed')
    if (outcome.kind === 'rejected' || !transaction.isSigned) return outcome
    const before = transaction.accounts.map(({ address }) => this.balanceOf(address, 'processed'))
    for (const [address, lamports] of outcome.after) if (this.#balances.get(address) !== lamports) this.#write(address, lamports)
    const after = transaction.accounts.map(({ address }) => outcome.after.get(address) ?? 0n)
    this.#remember({ transaction, block: this.#tip, err: outcome.err, fee: outcome.fee, before, after })
    return outcome
  }

  /** What a transaction would do now, whoever signed it. */
  simulate(transaction: Transaction, commitment: Commitment): Outcome & { fee: bigint } {
    if (!this.isValid(transaction.blockhash, commitment)) return { kind: 'rejected', err: 'BlockhashNotFound', fee: 0n }
    const known = this.#byMessage.get(transaction.messageHash)
    if (known && this.#has(known, commitment)) return { kind: 'rejected', err: 'AlreadyProcessed', fee: 0n }
    const execution = execute(transaction, (address) => this.balanceOf(address, commitment))
    if (execution.kind === 'dropped') return { kind: 'rejected', err: execution.err, fee: 0n }
    return { kind: 'executed', err: execution.err, fee: execution.fee, after: execution.after }
  }

  view(commitment: Commitment): View {
    const { slot, height } = this.#blockAt(commitment)
    return { slot, height }
  }

  /** The newest blockhash that a transaction may carry, and the last height at which it may land. */
  latestBlockhash(commitment: Commitment): { blockhash: string; lastValidBlockHeight: number } {
    const { blockhash, height } = this.#blockAt(commitment === 'processed' ? 'confirmed' : commitment)
    return { blockhash, lastValidBlockHeight: height + BLOCKHASH_BLOCKS }
  }

  /** Whether a transaction may carry this blockhash. Its age counts from the newest block that has ended, and the newest of all has not. */
  isValid(blockhash: string, commitment: Commitment): boolean {
    const newest = this.#blockAt(commitment).height - (commitment === 'processed' ? 1 : 0)
    const found = this.#blocks.find((block) => block.blockhash === blockhash)
    return found !== undefined && found.height <= newest && newest - found.height <= BLOCKHASH_BLOCKS
  }

  balanceOf(address: string, commitment: Commitment): bigint {
    const changed = this.#newerThan(commitment).find(({ undo }) => undo.has(address))
    return changed?.undo.get(address) ?? this.#balances.get(address) ?? 0n
  }

  /** @returns undefined for what has not landed, or not at this commitment */
  landed(signature: string, commitment: Commitment): LandedTransaction | undefined {
    const found = this.#bySignature.get(signature)
    return found && this.#has(found, commitment) ? found : undefined
  }

  /** The commitment that a landed transaction has reached. */
  commitmentOf({ block }: LandedTransaction): Commitment {
    if (block.slot <= this.view('finalized').slot) return 'finalized'
    return block.slot <= this.view('confirmed').slot ? 'confirmed' : 'processed'
  }

  /** How many blocks there are above that of a landed transaction. */
  blocksAbove({ block }: LandedTransaction): number {
    return this.#tip.height - block.height
  }

  /** Every transaction at this commitment that names an address, the oldest first. */
  history(address: string, commitment: Commitment): LandedTransaction[] {
    return (this.#byAddress.get(address) ?? []).filter((each) => this.#has(each, commitment))
  }

  get #tip(): Block {
    const tip = this.#blocks.at(-1)
    if (!tip) throw new Error('the ledger has no block')
    return tip
  }

  #blockAt(commitment: Commitment): Block {
    if (commitment === 'processed') return this.#tip
    if (commitment === 'finalized') return this.#root
    const confirmed = this.#blocks.at(-1 - CONFIRMED_DEPTH)
    return confirmed && confirmed.height > this.#root.height ? confirmed : this.#root
  }

  /** The oldest first. */
  #newerThan(commitment: Commitment): Block[] {
    const { height } = this.#blockAt(commitment)
    return this.#blocks.filter((block) => block.height > height)
  }

  #has({ block }: LandedTransaction, commitment: Commitment): boolean {
    return block.slot <= this.#blockAt(commitment).slot
  }

  #write(address: string, lamports: bigint): void {
    const { undo } = this.#tip
    if (!undo.has(address)) undo.set(address, this.#balances.get(address) ?? 0n)
    this.#balances.set(address, lamports)
  }

  #remember(landed: LandedTransaction): void {
    const { transaction } = landed
    this.#tip.landed.push(landed)
    this.#bySignature.set(transaction.signature, landed)
    this.#byMessage.set(transaction.messageHash, landed)
    for (const { address } of transaction.accounts) {
      const known = this.#byAddress.get(address)
      if (known) known.push(landed)
      else this.#byAddress.set(address, [landed])
    }
  }

  #forget(landed: LandedTransaction): void {
    const { transaction } = landed
    this.#bySignature.delete(transaction.signature)
    this.#byMessage.delete(transaction.messageHash)
    for (const { address } of transaction.accounts) {
      const others = this.#byAddress.get(address)?.filter((each) => each !== landed)
      this.#byAddress.set(address, others ?? [])
    }
  }
}

function newBlock(slot: number, height: number): Block {
  return { slot, height, blockhash: base58.encode(randomBytes(32)), time: Math.floor(Date.now() / 1_000), landed: [], undo: new Map() }
}

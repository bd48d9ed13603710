import { createHash } from 'node:crypto'

import { base58 } from '@scure/base'
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'

import { findSettledPayment } from './settled-payment.ts'

/** How long a slot takes, as on Solana's clusters, and how many later slots confirm and finalize it. */
const SLOT_MILLIS = 400
const SLOTS_BEHIND: Record<Commitment, number> = { processed: 0, confirmed: 2, finalized: 32 }
/** A blockhash is valid for so many blocks (Agave, `MAX_PROCESSING_AGE`). */
const BLOCKHASH_BLOCKS = 150
const FIRST_SLOT = 1_000
/** Some slots have no block, so heights are lower than slots. */
const SKIPPED_SLOTS = 100

export const GENESIS_HASH = base58.encode(digest('genesis'))

export type Commitment = 'processed' | 'confirmed' | 'finalized'

interface StubTransaction {
  signature: string
  slot: number
  bytes: Uint8Array
}

/**
 * What the stub of a chain knows. Slots pass by the clock; every transaction with a valid blockhash lands in the next slot and
 * succeeds. Its signatures are not verified, since the product does that itself before it sends anything.
 */
export class StubLedger {
  readonly #startedAt = Date.now()
  readonly #blockhashes = new Map<string, number>()
  readonly #transactions = new Map<string, StubTransaction>()
  readonly #byAccount = new Map<string, StubTransaction[]>()

  slot(commitment: Commitment): number {
    return FIRST_SLOT + Math.floor((Date.now() - this.#startedAt) / SLOT_MILLIS) - SLOTS_BEHIND[commitment]
  }

  height(commitment: Commitment): number {
    return this.slot(commitment) - SKIPPED_SLOTS
  }

  latestBlockhash(commitment: Commitment) {
    const slot = this.slot(commitment)
    const blockhash = base58.encode(digest(`block ${slot}`))
    this.#blockhashes.set(blockhash, slot)
    return { blockhash, lastValidBlockHeight: slot - SKIPPED_SLOTS + BLOCKHASH_BLOCKS }
  }

  isValid(blockhash: string): boolean {
    const slot = this.#blockhashes.get(blockhash)
    return slot !== undefined && this.slot('processed') - slot <= BLOCKHASH_BLOCKS
  }

  /** Sends a transaction: it lands in the next slot if its blockhash is valid. @returns its signature */
  send(bytes: Uint8Array): string {
    const { signature, blockhash, accounts } = readTransaction(bytes)
    if (this.#transactions.has(signature) || !this.isValid(blockhash)) return signature
    const transaction = { signature, slot: this.slot('processed') + 1, bytes }
    this.#transactions.set(signature, transaction)
    for (const account of accounts) {
      const known = this.#byAccount.get(account)
      if (known) known.push(transaction)
      else this.#byAccount.set(account, [transaction])
    }
    return signature
  }

  /** @returns the transaction if it has landed; those of settled purchases landed before the bench began */
  find(signature: string): StubTransaction | undefined {
    const transaction = this.#transactions.get(signature) ?? findSettledPayment(signature)
    return transaction && transaction.slot <= this.slot('processed') ? transaction : undefined
  }

  /** The transactions that mention an account, newest first. */
  listFor(account: string, commitment: Commitment): StubTransaction[] {
    const newest = this.slot(commitment)
    return (this.#byAccount.get(account) ?? []).filter(({ slot }) => slot <= newest).toReversed()
  }

  commitmentOf(slot: number): Commitment {
    if (slot <= this.slot('finalized')) return 'finalized'
    return slot <= this.slot('confirmed') ? 'confirmed' : 'processed'
  }

  /** When each transaction was confirmed, or will be, in Unix milliseconds. */
  confirmedAt(): [signature: string, millis: number][] {
    const millisOf = (slot: number) => this.#startedAt + (slot - FIRST_SLOT + SLOTS_BEHIND.confirmed) * SLOT_MILLIS
    return [...this.#transactions.values()].map(({ signature, slot }) => [signature, millisOf(slot)])
  }
}

/** What is needed of a signed transaction, legacy or version 0. */
export function readTransaction(bytes: Uint8Array): { signature: string; blockhash: string; accounts: readonly string[] } {
  const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  const [signature] = Object.values(signatures)
  if (!signature || !('lifetimeToken' in message)) throw new Error('the transaction is not signed')
  return { signature: base58.encode(Uint8Array.from(signature)), blockhash: message.lifetimeToken, accounts: message.staticAccounts }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

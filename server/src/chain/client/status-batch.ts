import { setTimeout as delay } from 'node:timers/promises'

import { type Signature } from '@juicebar/contract/addresses'

import { type SignatureStatus } from '../chain.ts'

type Statuses = Map<Signature, SignatureStatus>

interface Batch {
  signatures: Set<Signature>
  answer: Promise<Statuses>
}

/**
 * Asks for the statuses of many callers together: whoever asks while a call is under way, or before the pause after its beginning is
 * over, waits for the next one. So no answer is older than its question, and players who all wait for their payments cost few calls.
 */
export class StatusBatch {
  readonly #read: (signatures: readonly Signature[]) => Promise<Statuses>
  readonly #pauseMillis: number
  #gathering: Batch | undefined
  #free: Promise<unknown> = Promise.resolve()

  constructor(read: (signatures: readonly Signature[]) => Promise<Statuses>, pauseMillis: number) {
    this.#read = read
    this.#pauseMillis = pauseMillis
  }

  /** The statuses that are known of these signatures. Rejects as the call does that they were asked in. */
  async ask(signatures: readonly Signature[]): Promise<Statuses> {
    this.#gathering ??= this.#open()
    for (const signature of signatures) this.#gathering.signatures.add(signature)
    const all = await this.#gathering.answer
    const asked = new Set(signatures)
    return new Map([...all].filter(([signature]) => asked.has(signature)))
  }

  #open(): Batch {
    const signatures = new Set<Signature>()
    const turn = this.#free
    const answer = turn.then(() => {
      this.#gathering = undefined
      return this.#read([...signatures])
    })
    const pause = turn.then(() => delay(this.#pauseMillis, undefined, { ref: false }))
    this.#free = Promise.allSettled([answer, pause])
    return { signatures, answer }
  }
}

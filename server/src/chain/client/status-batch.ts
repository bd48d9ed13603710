import { setTimeout as delay } from 'node:timers/promises'

import { type Signature } from '@juicebar/contract/addresses'

import { type SignatureStatus } from '../chain.ts'

type Statuses = Map<Signature, SignatureStatus>

interface Batch {
  signatures: Set<Signature>
  answer: Promise<Statuses>
}

/**
 * Batches the status requests of many callers: whoever asks while a request is in flight, or during the pause after it was sent, is in
 * the next one. So no answer is older than its question, and many players who wait for their payments cost few requests.
 */
export class StatusBatch {
  readonly #read: (signatures: readonly Signature[]) => Promise<Statuses>
  readonly #pauseMillis: number
  #next: Batch | undefined
  #previous: Promise<unknown> = Promise.resolve()

  constructor(read: (signatures: readonly Signature[]) => Promise<Statuses>, pauseMillis: number) {
    this.#read = read
    this.#pauseMillis = pauseMillis
  }

  /** The known statuses of these signatures. Rejects if the request that they were in fails. */
  async ask(signatures: readonly Signature[]): Promise<Statuses> {
    this.#next ??= this.#open()
    for (const signature of signatures) this.#next.signatures.add(signature)
    const all = await this.#next.answer
    const asked = new Set(signatures)
    return new Map([...all].filter(([signature]) => asked.has(signature)))
  }

  #open(): Batch {
    const signatures = new Set<Signature>()
    const turn = this.#previous
    const answer = turn.then(() => {
      this.#next = undefined
      return this.#read([...signatures])
    })
    const pause = turn.then(() => delay(this.#pauseMillis, undefined, { ref: false }))
    this.#previous = Promise.allSettled([answer, pause])
    return { signatures, answer }
  }
}

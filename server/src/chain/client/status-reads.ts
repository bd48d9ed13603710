import { type Signature } from '@juicebar/contract/addresses'

import { type LandedTransaction, type SignatureStatus, type WideReadOptions } from '../chain.ts'
import { type Endpoint } from '../rpc/endpoint.ts'
import { paceMillis } from '../rpc/pace.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { readFinality } from './read-finality.ts'
import { readStatusesEverywhere, readStatusesOnce, type Statuses, STATUSES_PER_CALL } from './read-statuses.ts'
import { chunks, RequestBatch } from '../../request-batch.ts'

/** How much of the budget statuses may take, however many payments are under way. */
const STATUSES = { share: 0.08, leastMillis: 250 }
/** Nobody waits for finality. */
const FINALITY = { share: 0.03, leastMillis: 1000 }

/** Statuses of payments, in batches within a fixed share of the budget. */
export class StatusReads {
  readonly #pool: RpcPool
  readonly #readTransaction: (signature: Signature) => Promise<LandedTransaction | undefined>
  readonly #statuses: RequestBatch<Signature, SignatureStatus>
  readonly #finality: RequestBatch<Signature, SignatureStatus>
  /** The endpoint that did not know all signatures of the last request. */
  #ignorant: Endpoint | undefined

  constructor(pool: RpcPool, readTransaction: (signature: Signature) => Promise<LandedTransaction | undefined>) {
    this.#pool = pool
    this.#readTransaction = readTransaction
    this.#statuses = new RequestBatch((signatures) => inChunks(signatures, (chunk) => this.#readOnce(chunk)), {
      pauseMillis: () => paceMillis(pool.perSecond, STATUSES),
    })
    this.#finality = new RequestBatch((signatures) => inChunks(signatures, (chunk) => readFinality(pool, chunk, this.#readTransaction)), {
      pauseMillis: () => paceMillis(pool.perSecond, FINALITY),
    })
  }

  /** See `statuses` of the port `Chain`. */
  read(signatures: readonly Signature[], { everywhere = false }: WideReadOptions = {}): Promise<Statuses> {
    return everywhere ? readStatusesEverywhere(this.#pool, signatures) : this.#statuses.ask(signatures)
  }

  /** See `finality` of the port `Chain`. */
  readFinality(signatures: readonly Signature[]): Promise<Statuses> {
    return this.#finality.ask(signatures)
  }

  /**
   * If one endpoint does not know a signature, a different one is asked the next time. One endpoint alone cannot establish that a payment
   * has failed, because its buyer would be told to pay again.
   */
  async #readOnce(signatures: readonly Signature[]): Promise<Statuses> {
    const { statuses, endpoint } = await readStatusesOnce(this.#pool, signatures, this.#ignorant)
    this.#ignorant = statuses.size < signatures.length ? endpoint : undefined
    const failed = [...statuses].flatMap(([signature, status]) => (status.failed ? [signature] : []))
    if (failed.length === 0 || this.#pool.endpoints.length === 1) return statuses
    const sure = await readFinality(this.#pool, failed, this.#readTransaction)
    return new Map([...[...statuses].filter(([, status]) => !status.failed), ...sure])
  }
}

async function inChunks(signatures: readonly Signature[], read: (chunk: Signature[]) => Promise<Statuses>): Promise<Statuses> {
  const answers = await Promise.all(chunks(signatures, STATUSES_PER_CALL).map(read))
  return new Map(answers.flatMap((statuses) => [...statuses]))
}

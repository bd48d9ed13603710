import { parseSignature, type Signature } from '@juicebar/contract/addresses'
import { signature as asSignature } from '@solana/kit'
import {
  type Commitment,
  type SignatureEntry,
  type SignatureStatus,
  type SlotsTold,
  type LandedTransaction,
  type ReadOptions,
} from '../chain.ts'
import { type Outliers, requireInteger } from './finalized-height.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { chunks, RequestBatch } from '../../runtime/request-batch.ts'
import { paceMillis, type Priority } from '../rpc/request-queue.ts'

export interface StatusReply {
  slot: bigint
  err: unknown
  confirmations: bigint | null
  confirmationStatus: Commitment | null
}

export interface EntryReply {
  signature: string
  slot: bigint
  err: unknown
}

const ranks: Record<Commitment, number> = { processed: 0, confirmed: 1, finalized: 2 }

/** Reads one status of a `getSignatureStatuses` reply. */
export function readStatus(reply: StatusReply): SignatureStatus {
  return {
    slot: requireInteger(reply.slot),
    commitment: reply.confirmationStatus ?? commitmentByConfirmations(reply),
    failed: reply.err !== null,
  }
}

/** The status that proves more: the one with the higher commitment or, if equal, the later slot. */
function betterStatus(one: SignatureStatus | undefined, other: SignatureStatus): SignatureStatus {
  if (!one) return other
  const lead = ranks[other.commitment] - ranks[one.commitment]
  return lead > 0 || (lead === 0 && other.slot > one.slot) ? other : one
}

/**
 * Reads one entry of a `getSignaturesForAddress` reply.
 *
 * @throws Error if its signature or slot is not one.
 */
export function readEntry(reply: EntryReply): SignatureEntry {
  return { signature: readSignature(reply.signature), slot: requireInteger(reply.slot), failed: reply.err !== null }
}

/** What endpoints have listed since a slot, each transaction once, newest first. Only what all of them list as failed is. */
export function newestEntries(found: readonly SignatureEntry[], sinceSlot: bigint): SignatureEntry[] {
  const distinct = new Map<Signature, SignatureEntry>()
  for (const entry of found) {
    if (entry.slot >= sinceSlot && distinct.get(entry.signature)?.failed !== false) distinct.set(entry.signature, entry)
  }
  return [...distinct.values()].toSorted((a, b) => Number(b.slot - a.slot))
}

function readSignature(text: string): Signature {
  const signature = parseSignature(text)
  if (!signature) throw new Error('the endpoint returned an invalid signature')
  return signature
}

/** RPC nodes that report no commitment report the number of confirmations, null once the slot is rooted. */
function commitmentByConfirmations(reply: StatusReply): Commitment {
  return reply.confirmations === null ? 'finalized' : 'processed'
}

/** The most transactions read per request because endpoints disagree about them. The others are not known to have failed, for now. */
const MAX_DISPUTED = 8

/**
 * Asks whether payments are final, or have failed, at most 256 of them. Where there are several endpoints, two of them must say so; and
 * where one knows a payment that the other does not, or calls it failed, only the transaction itself counts. So an endpoint that lies about
 * statuses does not have the last word.
 * @param readTransaction from any endpoint.
 * @returns the certain statuses; signatures that are not on the chain are absent.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if no endpoint answers.
 */
async function readFinality(
  pool: RpcPool,
  signatures: readonly Signature[],
  readTransaction: (signature: Signature) => Promise<LandedTransaction | undefined>,
): Promise<Statuses> {
  const first = await readStatusesOnce(pool, signatures)
  if (!pool.hasSecond) return first.statuses
  const doubtful = signatures.filter((signature) => isDoubtful(first.statuses.get(signature)))
  if (doubtful.length === 0) return first.statuses
  const second = await readStatusesOnce(pool, doubtful, first.endpoint)
  pool.notePartial(doubtful, second.endpoint === first.endpoint)
  const agreed: Statuses = new Map(first.statuses)
  const disputed: Signature[] = []
  for (const signature of doubtful) {
    const [one, other] = [first.statuses.get(signature), second.statuses.get(signature)]
    if (second.endpoint === first.endpoint) setOrDelete(agreed, signature, one && notFinal(one))
    else if (one && other && one.failed === other.failed) agreed.set(signature, agreementOf(one, other))
    else if (one ?? other) disputed.push(signature)
  }
  for (const [index, signature] of disputed.entries()) {
    const [one, other] = [first.statuses.get(signature), second.statuses.get(signature)]
    const known = one ?? other
    if (known && index >= MAX_DISPUTED) {
      agreed.set(signature, known.failed || other?.failed ? undecided(known) : notFinal(known))
    } else {
      const landed = await readTransaction(signature)
      // Its failure is one endpoint's word then, and the other one's is that it succeeded.
      if (landed?.failed && landed.doubt && one && other) agreed.set(signature, undecided(one))
      else setOrDelete(agreed, signature, landed && { slot: landed.slot, commitment: 'confirmed', failed: landed.failed })
    }
  }
  return agreed
}

/** Only absent, failed and final statuses have consequences. */
function isDoubtful(status: SignatureStatus | undefined): boolean {
  return !status || status.failed || status.commitment === 'finalized'
}

function notFinal(status: SignatureStatus): SignatureStatus {
  return status.commitment === 'finalized' ? { ...status, commitment: 'confirmed' } : status
}

function undecided(status: SignatureStatus): SignatureStatus {
  return { ...status, commitment: 'processed', failed: false }
}

/** The status that both support: the lower commitment. */
function agreementOf(one: SignatureStatus, other: SignatureStatus): SignatureStatus {
  return one.commitment === 'finalized' ? other : one
}

function setOrDelete(statuses: Statuses, signature: Signature, status: SignatureStatus | undefined): void {
  if (status) statuses.set(signature, status)
  else statuses.delete(signature)
}

/** Most signatures in one `getSignatureStatuses` (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const STATUSES_PER_CALL = 256

/** Signatures that are not known are absent. */
export type Statuses = Map<Signature, SignatureStatus>

/** The answer of one endpoint, which was proved to serve our chain both before it was asked and after it answered. */
export interface StatusReading {
  statuses: Statuses
  endpoint: Endpoint
}

/**
 * Asks one endpoint for the statuses of at most 256 signatures.
 *
 * @param last an endpoint that is asked only if no other answers.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if none answers.
 */
async function readStatusesOnce(pool: RpcPool, signatures: readonly Signature[], last?: Endpoint): Promise<StatusReading> {
  const reading = await pool.askInTurn(
    'settlement',
    async (rpc, endpoint) => {
      const statuses = await request(rpc, signatures)
      if (!endpoint.proven) throw new Error('the connection was lost meanwhile, and another chain may have answered')
      return { statuses, endpoint }
    },
    { last },
  )
  if (!reading) throw new Error('askInTurn returns the first answer, and each of them is one')
  return reading
}

/**
 * Asks every healthy endpoint.
 *
 * @returns the best status that any of them knows; signatures that none knows are absent.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if none answers.
 */
async function readStatusesEverywhere(pool: RpcPool, signatures: readonly Signature[]): Promise<Statuses> {
  const readings = chunks(signatures, STATUSES_PER_CALL).map((chunk) =>
    pool.askAll('settlement', (rpc) => request(rpc, chunk), { about: chunk }),
  )
  const best: Statuses = new Map()
  for (const statuses of (await Promise.all(readings)).flat()) {
    for (const [signature, status] of statuses) best.set(signature, betterStatus(best.get(signature), status))
  }
  return best
}

/** See `landedSlots` of the port `Chain`. A slot far above the chain is no answer. */
export async function readSlotsTold(pool: RpcPool, outliers: Outliers, signature: Signature, priority: Priority): Promise<SlotsTold> {
  const told = await pool.askAll(priority, async (rpc) => (await request(rpc, [signature])).get(signature)?.slot)
  const slots = told.flatMap((slot) => (slot === undefined || outliers.isTooHigh('slot', slot) ? [] : slot))
  return { slots, silent: pool.endpoints.filter((endpoint) => !endpoint.foreign).length - slots.length }
}

async function request(rpc: ChainRpc, signatures: readonly Signature[]): Promise<Statuses> {
  const { value } = await rpc.getSignatureStatuses(signatures.map(asSignature), { searchTransactionHistory: true }).send()
  if (value.length !== signatures.length) throw new Error('the endpoint left out statuses')
  return new Map(
    signatures.flatMap((signature, index): [Signature, SignatureStatus][] => {
      const status = value[index]
      return status ? [[signature, readStatus(status)]] : []
    }),
  )
}

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
  read(signatures: readonly Signature[], { everywhere = false }: ReadOptions = {}): Promise<Statuses> {
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
    if (failed.length === 0 || !this.#pool.hasSecond) return statuses
    const sure = await readFinality(this.#pool, failed, this.#readTransaction)
    return new Map([...[...statuses].filter(([, status]) => !status.failed), ...sure])
  }
}

async function inChunks(signatures: readonly Signature[], read: (chunk: Signature[]) => Promise<Statuses>): Promise<Statuses> {
  const answers = await Promise.all(chunks(signatures, STATUSES_PER_CALL).map(read))
  return new Map(answers.flatMap((statuses) => [...statuses]))
}

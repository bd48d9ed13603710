import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { address, signature as asSignature } from '@solana/kit'
import { type FinalizedView, type HistoryPart, type HistoryRange, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { requireInteger } from './finalized-height.ts'
import { readEntry, readStatus } from './statuses.ts'

/** Most entries in one page of `getSignaturesForAddress`. */
export const PAGE_SIZE = 1000

type Entries = Map<Signature, SignatureEntry>

export interface ViewOptions {
  genesisHash: string
  /** Whether the endpoint still serves the chain that it serves now. */
  isSameChain: () => boolean
  /** Called whenever a method of the view fails. */
  onFailure: (cause: unknown) => void
  pageSize: number
}

/**
 * Opens a view of the finalized chain as this endpoint sees it now. Its methods throw CHAIN_DOWN if the endpoint fails or answers for an
 * older slot than the view's.
 */
export async function openFinalizedView(endpoint: Endpoint, options: ViewOptions): Promise<FinalizedView> {
  const { genesisHash, isSameChain, onFailure, pageSize } = options
  const rpc = endpoint.client('release')
  // Read in this order, the slot is never older than the height: what is absent at the slot is absent at the height.
  const height = requireInteger(await rpc.getBlockHeight({ commitment: 'finalized' }).send())
  const slot = requireInteger(await rpc.getSlot({ commitment: 'finalized' }).send())
  const fail = (cause: unknown): never => {
    onFailure(cause)
    throw new Failure('CHAIN_DOWN', { cause })
  }
  const view = new EndpointView(rpc, slot, isSameChain, pageSize)
  return {
    endpoint: endpoint.host,
    genesisHash,
    slot,
    height,
    history: (of, range) => view.history(of, range).catch(fail),
    statusOf: (signature) => view.statusOf(signature).catch(fail),
  }
}

class EndpointView {
  readonly #rpc: ChainRpc
  readonly #slot: bigint
  readonly #isSameChain: () => boolean
  readonly #pageSize: number

  constructor(rpc: ChainRpc, slot: bigint, isSameChain: () => boolean, pageSize: number) {
    this.#rpc = rpc
    this.#slot = slot
    this.#isSameChain = isSameChain
    this.#pageSize = pageSize
  }

  async history(of: string, { sinceSlot, before, pages }: HistoryRange): Promise<HistoryPart> {
    await this.#assertNotOlder()
    // For a signature that it does not know, an RPC node returns an empty page.
    if (before && !(await this.statusOf(before))) return { kind: 'unknownStart' }
    const entries: Entries = new Map()
    let older = before
    let read = 0
    do {
      const page = await this.#page(of, older)
      for (const entry of page) if (entry.slot >= sinceSlot) entries.set(entry.signature, entry)
      const last = page.at(-1)
      older = last && last.slot >= sinceSlot ? last.signature : undefined
      read += 1
    } while (older && read < pages)
    // RPC nodes drop their oldest blocks, and with them the proof that something happened. Asked last, because they keep dropping
    // blocks.
    const firstSlot = requireInteger(await this.#rpc.getFirstAvailableBlock().send())
    return this.#checked(
      firstSlot > sinceSlot ? { kind: 'pruned', firstSlot } : { kind: 'part', entries: [...entries.values()], older, pages: read },
    )
  }

  async statusOf(signature: Signature): Promise<SignatureStatus | undefined> {
    const reply = await this.#rpc.getSignatureStatuses([asSignature(signature)], { searchTransactionHistory: true }).send()
    if (requireInteger(reply.context.slot) < this.#slot) throw this.#older(reply.context.slot)
    const [status] = reply.value
    if (status === undefined) throw new Error('the endpoint left out a status')
    return this.#checked(status ? readStatus(status) : undefined)
  }

  /**
   * The page before an entry, newest first. The reply has no context, so `minContextSlot` demands freshness: an RPC node that is behind
   * refuses the request. Surfpool treats it as a filter and hides what is older than that slot, hence the second request without it.
   */
  async #page(of: string, before: Signature | undefined): Promise<SignatureEntry[]> {
    const config = { commitment: 'finalized', limit: this.#pageSize, ...(before && { before: asSignature(before) }) } as const
    const fresh = await this.#rpc.getSignaturesForAddress(address(of), { ...config, minContextSlot: this.#slot }).send()
    const all = await this.#rpc.getSignaturesForAddress(address(of), config).send()
    const entries: Entries = new Map([...fresh, ...all].map(readEntry).map((entry) => [entry.signature, entry]))
    return [...entries.values()].toSorted((a, b) => Number(b.slot - a.slot))
  }

  async #assertNotOlder(): Promise<void> {
    const now = requireInteger(await this.#rpc.getSlot({ commitment: 'finalized', minContextSlot: this.#slot }).send())
    if (now < this.#slot) throw this.#older(now)
  }

  #checked<T>(answer: T): T {
    if (!this.#isSameChain()) throw new Error('the connection was lost or the chain was reset since this view was opened')
    return answer
  }

  #older(slot: bigint): Error {
    return new Error(`the endpoint answered for slot ${slot}, older than ${this.#slot}`)
  }
}

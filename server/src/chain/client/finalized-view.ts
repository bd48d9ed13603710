import { type Signature } from '@juicebar/contract/addresses'
import { address, signature as asSignature } from '@solana/kit'

import { type FinalizedView, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { requireInteger } from './require-integer.ts'
import { readEntry, readStatus } from './signature-status.ts'

/** More pages than this for one address since one slot can only be an attack. */
const MAX_PAGES = 100
const PAGE_SIZE = 1000

type Entries = Map<Signature, SignatureEntry>

/**
 * Opens a view of the finalized chain as this endpoint sees it now. Its methods throw plain errors if the endpoint fails or answers for
 * an older slot than the view's.
 *
 * @param isSameChain whether the endpoint still serves the chain that it serves now.
 */
export async function openFinalizedView(endpoint: Endpoint, genesisHash: string, isSameChain: () => boolean): Promise<FinalizedView> {
  const rpc = endpoint.client('release')
  // Read in this order, the slot is never older than the height: what is absent at the slot is absent at the height.
  const height = requireInteger(await rpc.getBlockHeight({ commitment: 'finalized' }).send())
  const slot = requireInteger(await rpc.getSlot({ commitment: 'finalized' }).send())
  const view = new EndpointView(rpc, slot, isSameChain)
  return {
    genesisHash,
    slot,
    height,
    signaturesFor: (of, sinceSlot) => view.signaturesFor(of, sinceSlot),
    statusOf: (signature) => view.statusOf(signature),
  }
}

class EndpointView {
  readonly #rpc: ChainRpc
  readonly #slot: bigint
  readonly #isSameChain: () => boolean

  constructor(rpc: ChainRpc, slot: bigint, isSameChain: () => boolean) {
    this.#rpc = rpc
    this.#slot = slot
    this.#isSameChain = isSameChain
  }

  async signaturesFor(of: string, sinceSlot: bigint): Promise<SignatureEntry[]> {
    const newestFirst: Entries = new Map()
    await this.#assertNotOlder()
    let before: SignatureEntry | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const entries = await this.#page(of, before)
      for (const entry of entries) if (entry.slot >= sinceSlot) newestFirst.set(entry.signature, entry)
      before = entries.at(-1)
      if (!before || before.slot < sinceSlot) {
        await this.#assertReachesBackTo(sinceSlot)
        return this.#checked([...newestFirst.values()].toReversed())
      }
    }
    throw new Error(`an address has more than ${MAX_PAGES} pages of signatures`)
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
  async #page(of: string, before: SignatureEntry | undefined): Promise<SignatureEntry[]> {
    const config = { commitment: 'finalized', limit: PAGE_SIZE, ...(before && { before: asSignature(before.signature) }) } as const
    const fresh = await this.#rpc.getSignaturesForAddress(address(of), { ...config, minContextSlot: this.#slot }).send()
    const all = await this.#rpc.getSignaturesForAddress(address(of), config).send()
    const entries: Entries = new Map([...fresh, ...all].map(readEntry).map((entry) => [entry.signature, entry]))
    return [...entries.values()].toSorted((a, b) => Number(b.slot - a.slot))
  }

  async #assertNotOlder(): Promise<void> {
    const now = requireInteger(await this.#rpc.getSlot({ commitment: 'finalized', minContextSlot: this.#slot }).send())
    if (now < this.#slot) throw this.#older(now)
  }

  /** RPC nodes drop their oldest blocks, and with them what would show that something happened. Asked last, because they keep dropping. */
  async #assertReachesBackTo(slot: bigint): Promise<void> {
    const first = requireInteger(await this.#rpc.getFirstAvailableBlock().send())
    if (first > slot) throw new Error(`the endpoint has dropped slots ${slot} to ${first}`)
  }

  #checked<T>(answer: T): T {
    if (!this.#isSameChain()) throw new Error('the connection was lost or the chain was reset since this view was opened')
    return answer
  }

  #older(slot: bigint): Error {
    return new Error(`the endpoint answered for slot ${slot}, older than ${this.#slot}`)
  }
}

import { type Signature } from '@juicebar/contract/addresses'
import { address, signature as asSignature } from '@solana/kit'

import { type FinalizedView, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { readEntry, readStatus } from './signature-status.ts'
import { whole } from './whole-number.ts'

/** More pages than this for one address since one slot are no honest traffic. */
const MAX_PAGES = 100
const PAGE = 1000

type Entries = Map<Signature, SignatureEntry>

/**
 * The finalized chain as one endpoint sees it now. Its methods throw plain errors where the endpoint fails or falls behind the view's
 * slot; `isSameChain` tells whether it still serves the chain that it served when the view was opened.
 */
export async function openFinalizedView(endpoint: Endpoint, genesisHash: string, isSameChain: () => boolean): Promise<FinalizedView> {
  const rpc = endpoint.client('release')
  // In this order the slot is never older than the height, so what is absent at the slot is absent at the height.
  const height = whole(await rpc.getBlockHeight({ commitment: 'finalized' }).send())
  const slot = whole(await rpc.getSlot({ commitment: 'finalized' }).send())
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
    if (whole(reply.context.slot) < this.#slot) throw this.#older(reply.context.slot)
    const [status] = reply.value
    if (status === undefined) throw new Error('the endpoint left out a status')
    return this.#checked(status ? readStatus(status) : undefined)
  }

  /**
   * One page before an entry, newest first. The reply has no context, so freshness is demanded with `minContextSlot`: a node that is
   * behind refuses it. Surfpool takes it for a filter and hides what is older than that slot, hence the second reading without it.
   */
  async #page(of: string, before: SignatureEntry | undefined): Promise<SignatureEntry[]> {
    const config = { commitment: 'finalized', limit: PAGE, ...(before && { before: asSignature(before.signature) }) } as const
    const fresh = await this.#rpc.getSignaturesForAddress(address(of), { ...config, minContextSlot: this.#slot }).send()
    const all = await this.#rpc.getSignaturesForAddress(address(of), config).send()
    const entries: Entries = new Map([...fresh, ...all].map(readEntry).map((entry) => [entry.signature, entry]))
    return [...entries.values()].toSorted((a, b) => Number(b.slot - a.slot))
  }

  async #assertNotOlder(): Promise<void> {
    const now = whole(await this.#rpc.getSlot({ commitment: 'finalized', minContextSlot: this.#slot }).send())
    if (now < this.#slot) throw this.#older(now)
  }

  /** An endpoint drops its oldest blocks, and with them what would show that something happened. Asked last, as it drops more all the time. */
  async #assertReachesBackTo(slot: bigint): Promise<void> {
    const first = whole(await this.#rpc.getFirstAvailableBlock().send())
    if (first > slot) throw new Error(`the endpoint has forgotten what happened from slot ${slot} to ${first}`)
  }

  #checked<T>(answer: T): T {
    if (!this.#isSameChain()) throw new Error('the connection was lost, or the chain was started anew, since this view was opened')
    return answer
  }

  #older(slot: bigint): Error {
    return new Error(`the endpoint answered for slot ${slot}, which is before ${this.#slot}`)
  }
}

import { setTimeout as delay } from 'node:timers/promises'

import { type Call } from './api-client.ts'
import { between, happens, type Path } from '../seeded-random.ts'
import { tally } from '../tally.ts'
import { type Player, type Run } from './player.ts'

/** The probability that a client crashes at any one step. */
const CRASHES = 0.025
/** The probability that a buyer looks at a price for a while, in which its seller may change it. */
const HESITATES = 0.15
const HESITATION_MILLIS = { low: 500, high: 4_000 }

/** Whoever waits asks again after this time, and then ever more rarely: what all buyers ask together must leave the servers time to act. */
const FIRST_POLL_MILLIS = 300
const POLL_GROWTH = 1.5
const LONGEST_POLL_MILLIS = 4_000

/** Whoever is refused for such a reason waits before it asks for anything else: a pause is over in a few seconds. */
export const REFUSED_MILLIS: Readonly<Record<string, number>> = { TOO_MANY_HOLDS: 2_000, COOLDOWN: 20_000, PAUSED: 1_000 }

/** How long to wait before asking again. @param polls how often it was asked before */
export function pollMillis(polls: number): number {
  return Math.min(FIRST_POLL_MILLIS * POLL_GROWTH ** polls, LONGEST_POLL_MILLIS)
}

/** What a buyer wants of a listing: all of it, or so many drinks. */
export interface WantedItem {
  listingId: string
  amount: number | undefined
  /** What it costs by the market that the buyer sees, in lamports. */
  shown: bigint
}

/** The items of a call. */
export function orderOf(items: readonly WantedItem[]): { listingId: string; amount: number | undefined }[] {
  return items.map(({ listingId, amount }) => ({ listingId, amount }))
}

/** The client is gone: its process ended or its tab was closed. */
export class ClientCrash extends Error {}

interface AgreedTransfer {
  to: string
  lamports: string
}

/** One buyer's attempt to buy, whose client may crash at every step. */
export abstract class Attempt {
  protected readonly run: Run
  protected readonly buyer: Player
  protected readonly path: Path
  /** Once it is known. */
  protected purchaseId: string | undefined

  constructor(run: Run, buyer: Player, path: Path) {
    this.run = run
    this.buyer = buyer
    this.path = path
  }

  /** What a payment of the wrong amount moves: one transfer is one lamport off, or of several one is missing. */
  protected wrongTransfers([first, ...others]: readonly AgreedTransfer[]): AgreedTransfer[] {
    if (!first) return []
    if (others.length > 0 && happens(this.run.seed, [...this.path, 'missing'], 0.5)) return others
    const lamports = BigInt(first.lamports) + (happens(this.run.seed, [...this.path, 'more'], 0.5) ? 1n : -1n)
    return [{ ...first, lamports: lamports.toString() }, ...others]
  }

  protected async maybeHesitate(step: string): Promise<void> {
    const at = [...this.path, 'hesitates', step]
    if (happens(this.run.seed, at, HESITATES))
      await delay(between(this.run.seed, [...at, 'millis'], HESITATION_MILLIS.low, HESITATION_MILLIS.high))
  }

  /** The most that a buyer pays for what it sees, the fee included. */
  protected mostFor(items: readonly WantedItem[]): bigint {
    const price = items.reduce((sum, { shown }) => sum + shown, 0n)
    return price + (price * BigInt(this.run.feeBasisPoints)) / 10_000n
  }

  protected refused(code: string | undefined): undefined {
    tally(this.run.journal.refusals, code ?? 'no answer')
  }

  protected crashes(step: string): boolean {
    return happens(this.run.seed, [...this.path, 'crashes', step], CRASHES)
  }

  protected maybeCrash(step: string): void {
    if (this.crashes(step)) this.crash(step)
  }

  protected crash(step: string): never {
    this.record(`crashed ${step}`)
    throw new ClientCrash(step)
  }

  protected async crashDuring(step: string, call: Call): Promise<never> {
    this.record(`crashed ${step}`)
    await this.buyer.api.sendAndDisconnect(call)
    throw new ClientCrash(step)
  }

  protected record(event: string): void {
    const hold = this.run.journal.holds.get(this.purchaseId ?? '')
    if (hold) hold.story += `, ${event}`
  }
}

import { setTimeout as delay } from 'node:timers/promises'

import { type Path, pickOne } from '../seeded-random.ts'
import { type ApiClient } from './api-client.ts'

/** A listing as the market shows it. */
export interface MarketListing {
  _id: string
  seller: string
  tokenType: string
  amount: number
  /** What all of it costs. */
  lamports: string
  divisible: boolean
  heldUntil: string | null
}

/** The market as all buyers see it: slightly stale, so that several buyers want the same listing. */
export interface ListingPoller {
  /** Picks a listing that is not held, and suits; undefined if there is none. */
  pick(seed: number, path: Path, suits?: (listing: MarketListing) => boolean): MarketListing | undefined
  stop(): Promise<void>
}

const POLL_MILLIS = 500

/** What so many of a listing cost, or all of it, in lamports: their share, rounded up. */
export function shownPrice({ amount, lamports }: MarketListing, part = amount): bigint {
  return (BigInt(lamports) * BigInt(part) + BigInt(amount) - 1n) / BigInt(amount)
}

export function startListingPoller(api: ApiClient): ListingPoller {
  let listings: MarketListing[] = []
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const answer = await api.callWithRetries({ method: 'GET', path: '/api/marketplace/listings?limit=200&sort=oldest' })
      if (answer?.status === 200) listings = (answer.body['listings'] as MarketListing[]).filter((listing) => listing.heldUntil === null)
      await delay(POLL_MILLIS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return {
    pick: (seed, path, suits = () => true) => pickOne(seed, path, listings.filter(suits)),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

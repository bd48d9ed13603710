import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { allListings, cheapestQuery, keys } from '../src/api/queries.ts'
import { applyEvent, createReloadQueue } from '../src/realtime/apply-event.ts'
import { listing } from './support/listing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** 50 events a second, as the server's readings of the outbox bring them. */
const BATCH = 5
const BATCH_MS = 100
const own = [keys.balances, keys.sol, keys.myListings, keys.purchases, keys.openPurchases, keys.cases]

/** A web app in which everything of a seller's own is on the screen; `requests` lists what it has asked for. */
async function openApp() {
  const requests: string[] = []
  const client = new QueryClient()
  const show = (queryKey: readonly unknown[], data: unknown = queryKey) => {
    const queryFn = () => {
      requests.push(queryKey.join())
      return data
    }
    new QueryObserver(client, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => undefined)
  }
  show([...keys.listings, allListings], { pages: [{ listings: [listing()], nextCursor: null }], pageParams: [''] })
  show(cheapestQuery('APPLE_JUICE', 'me').queryKey, listing())
  for (const queryKey of own) show(queryKey)
  await vi.advanceTimersByTimeAsync(0)
  requests.length = 0
  return { requests, loaded: { client, reloads: createReloadQueue(client), walletAddress: 'me' } }
}

describe('events at 50 a second', () => {
  it('of other sellers ask the server for nothing', async () => {
    const { requests, loaded } = await openApp()
    for (let event = 0; event < 1_000; event++) {
      if (event % BATCH === 0) await vi.advanceTimersByTimeAsync(BATCH_MS)
      applyEvent(loaded, { type: event % 2 ? 'listing.held' : 'listing.created', listing: listing({ seller: 'another' }) })
    }
    expect(requests).toEqual([])
  })

  it('of one’s own ask for less than once a second, and for everything in the end', async () => {
    const { requests, loaded } = await openApp()
    for (let event = 0; event < 2_000; event++) {
      if (event % BATCH === 0) await vi.advanceTimersByTimeAsync(BATCH_MS)
      applyEvent(loaded, { type: 'listing.sold', listing: listing({ seller: 'me' }) })
      applyEvent(loaded, { type: 'purchase.changed', purchaseId: 'one' })
      applyEvent(loaded, { type: 'balance.changed' })
    }
    expect(requests.length).toBeLessThan(40)
    for (const queryKey of [keys.balances, keys.sol, keys.myListings, keys.purchases]) expect(requests).toContain(queryKey.join())
    requests.length = 0
    await vi.advanceTimersByTimeAsync(20_000)
    expect(requests).toContain(keys.myListings.join())
    requests.length = 0
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests).toEqual([])
  })
})

it('a list left open is loaded again before it has grown without bound', async () => {
  const { requests, loaded } = await openApp()
  for (let event = 0; event < 1_000; event++) {
    applyEvent(loaded, { type: 'listing.created', listing: listing({ _id: `new ${event}`, seller: 'another' }) })
  }
  await vi.advanceTimersByTimeAsync(10)
  expect(requests).toEqual([expect.stringContaining(keys.listings.join())])
})

describe('a single event', () => {
  it('reloads what it concerns at once, and the SOL balance again when the relay’s copy is old', async () => {
    const { requests, loaded } = await openApp()
    applyEvent(loaded, { type: 'balance.changed' })
    await vi.advanceTimersByTimeAsync(0)
    expect(requests).toEqual([keys.balances.join(), keys.sol.join()])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(requests).toEqual([keys.balances.join(), keys.sol.join(), keys.sol.join()])
  })

  it('about a sale reloads one’s own listings, since a part whose listing is gone has no other event', async () => {
    const { requests, loaded } = await openApp()
    applyEvent(loaded, { type: 'purchase.changed', purchaseId: 'one' })
    await vi.advanceTimersByTimeAsync(0)
    expect(requests).toContain(keys.myListings.join())
  })

  it('leaves out one’s own listings of what others sell cheapest', async () => {
    const { loaded } = await openApp()
    const { queryKey } = cheapestQuery('APPLE_JUICE', 'me')
    applyEvent(loaded, { type: 'listing.created', listing: listing({ _id: 'own', seller: 'me', unitPrice: 0.01 }) })
    expect(loaded.client.getQueryData(queryKey)).toEqual(listing())
    applyEvent(loaded, { type: 'listing.created', listing: listing({ _id: 'other', seller: 'another', unitPrice: 0.02 }) })
    expect(loaded.client.getQueryData(queryKey)).toMatchObject({ _id: 'other' })
  })

  it('about the cheapest listing follows its price down, and looks for another when it rises', async () => {
    const { requests, loaded } = await openApp()
    const { queryKey } = cheapestQuery('APPLE_JUICE', 'me')
    const change = (unitPrice: number) => applyEvent(loaded, { type: 'listing.changed', listing: listing({ unitPrice }) })
    change(0.04)
    await vi.advanceTimersByTimeAsync(0)
    expect(loaded.client.getQueryData(queryKey)).toMatchObject({ unitPrice: 0.04 })
    expect(requests).not.toContain(queryKey.join())
    change(0.045)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(requests).toContain(queryKey.join())
  })

  it('that says reset reloads everything once', async () => {
    const { requests, loaded } = await openApp()
    applyEvent(loaded, { type: 'reset' })
    applyEvent(loaded, { type: 'ready' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests).toHaveLength(8)
  })
})

import { setTimeout as delay } from 'node:timers/promises'

import { type ApiClient } from './api-client.ts'
import { pickOne, type Path } from '../seeded-random.ts'

/** A lot as the market shows it. */
export interface Lot {
  _id: string
  seller: string
  heldUntil: string | null
}

/** The market as all buyers see it: a moment old, so that some of them want the same lot. */
export interface ShopWindow {
  choose(seed: number, path: Path): Lot | undefined
  stop(): Promise<void>
}

const LOOK_MILLIS = 500

export function openShopWindow(api: ApiClient): ShopWindow {
  let lots: Lot[] = []
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const answer = await api.insist({ method: 'GET', path: '/api/marketplace/listings?limit=200&sort=oldest' })
      if (answer?.status === 200) lots = (answer.body['listings'] as Lot[]).filter((lot) => lot.heldUntil === null)
      await delay(LOOK_MILLIS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return {
    choose: (seed, path) => pickOne(seed, path, lots),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

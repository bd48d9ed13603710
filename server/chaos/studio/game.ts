import { setTimeout as delay } from 'node:timers/promises'

import { type Sale } from '@juicebar/contract/schemas'

import { type ApiClient, type Call } from '../players/api-client.ts'
import { between, type Path, pickWeighted, wholeBetween } from '../seeded-random.ts'

/** A game's backend that follows all sales with the cursor that it keeps, dies at random, and goes on from what it has kept. */
export interface Game {
  /** How often it asked, and how often it died. */
  counts: { calls: number; deaths: number }
  /** Ends its last life and reads on to the end; then reads everything again from the beginning. Called when nothing is sold any more. */
  finish(): Promise<FollowedSales>
}

export interface FollowedSales {
  /** What it kept, in the order in which it came. */
  kept: readonly Sale[]
  /** What somebody sees who begins now. */
  fresh: readonly Sale[]
  /** Answers other than a page. */
  refusals: readonly string[]
}

interface Page {
  sales: Sale[]
  next: string
}

/** Where a game dies, and how likely: while it waits for an answer, before it has kept what it got, and after. */
const deaths = { asking: 0.03, received: 0.03, kept: 0.03 }
const IDLE_MILLIS = { low: 50, high: 700 }
const MOST_SALES = 40
const PAGE_AT_THE_END = 500

/** @param api sends every call, and every repetition, to another server than the one before */
export function startGame(seed: number, api: ApiClient): Game {
  /** Its database: sales and cursor are written together. */
  const database: { kept: Sale[]; next: string | undefined } = { kept: [], next: undefined }
  const counts = { calls: 0, deaths: 0 }
  const refusals: string[] = []
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    for (let life = 1; !stopping.signal.aborted; life++) {
      await live(['game', life])
      counts.deaths += stopping.signal.aborted ? 0 : 1
    }
  }

  /** Returns when it dies, and then it knows nothing but what it has kept. */
  async function live(path: Path): Promise<void> {
    let { next } = database
    for (let n = 1; !stopping.signal.aborted; n++) {
      const limit = wholeBetween(seed, [...path, n, 'limit'], 1, MOST_SALES)
      const dies = pickWeighted(seed, [...path, n, 'dies'], deaths)
      if (dies === 'asking') return api.sendAndDisconnect(pageCall(next, limit))
      const page = await read(next, limit)
      if (dies === 'received') return
      if (page) keep(page)
      if (dies === 'kept') return
      next = page?.next ?? next
      if (!page?.sales.length) await wait(between(seed, [...path, n, 'idle'], IDLE_MILLIS.low, IDLE_MILLIS.high))
    }
  }

  function keep({ sales, next }: Page): void {
    database.kept.push(...sales)
    database.next = next
  }

  async function read(after: string | undefined, limit: number): Promise<Page | undefined> {
    counts.calls += 1
    const answer = await api.callWithRetries(pageCall(after, limit))
    if (answer?.status === 200) return { sales: answer.body['sales'] as Sale[], next: String(answer.body['next']) }
    refusals.push(`the game was refused the sales after ${after ?? 'the beginning'}: ${JSON.stringify(answer)}`)
    return undefined
  }

  async function readToTheEnd(after: string | undefined, take: (page: Page) => void): Promise<void> {
    for (let next = after; ;) {
      const page = await read(next, PAGE_AT_THE_END)
      if (!page) return
      take(page)
      if (page.sales.length === 0) return
      next = page.next
    }
  }

  function wait(millis: number): Promise<void> {
    return delay(millis, undefined, { signal: stopping.signal }).catch(() => undefined)
  }

  return {
    counts,
    finish: async () => {
      stopping.abort()
      await running
      await readToTheEnd(database.next, keep)
      const fresh: Sale[] = []
      await readToTheEnd(undefined, ({ sales }) => fresh.push(...sales))
      return { kept: database.kept, fresh, refusals }
    },
  }
}

function pageCall(after: string | undefined, limit: number): Call {
  return { method: 'GET', path: `/api/studio/sales?limit=${limit}${after === undefined ? '' : `&after=${after}`}` }
}

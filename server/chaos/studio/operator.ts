import { setTimeout as delay } from 'node:timers/promises'

import { type RestrictedTime } from '../checks/restrictions.ts'
import { type ApiClient, type Call } from '../players/api-client.ts'
import { type Player } from '../players/player.ts'
import { between, happens, type Path, pickOne } from '../seeded-random.ts'

/** One of the studio's people, who pauses the market now and then, and blocks buyers and sellers, each for a moment. */
export interface Operator {
  /** When restrictions were certainly in force on every server. */
  restricted: readonly RestrictedTime[]
  counts: { pauses: number; blocks: number }
  /** Restricts nothing further, and resolves when nothing is restricted any more. */
  stop(): Promise<void>
  /** Called after `stop`. @returns a sentence for each call that failed, and for each restriction that is still in force */
  violations(): Promise<string[]>
}

/** How long it is, at least and at most, from one end to the next beginning. */
export interface RestrictionPace {
  pauseGapMillis: { low: number; high: number }
  blockGapMillis: { low: number; high: number }
}

interface Options {
  seed: number
  pace: RestrictionPace
  api: ApiClient
  players: readonly Player[]
  say(line: string): void
}

interface Restriction {
  path: string
  body: Record<string, unknown>
  wallet: string | undefined
}

/** So long after its call was answered, a restriction must hold on every server. */
const EVERYWHERE_MILLIS = 1_000
const PAUSE_MILLIS = { low: 1_200, high: 3_000 }
const BLOCK_MILLIS = { low: 1_200, high: 5_000 }
const BLOCKED_AT_ONCE = 4
/** Probability per block. */
const REMOVES_LISTINGS = 0.3

/** What is restricted, when and for how long depends on the seed alone. */
export function startOperator({ seed, pace, api, players, say }: Options): Operator {
  const restricted: RestrictedTime[] = []
  const counts = { pauses: 0, blocks: 0 }
  const failures: string[] = []
  const stopping = new AbortController()
  const running = Promise.all([
    repeat('pauses', 0, { gap: pace.pauseGapMillis, lasts: PAUSE_MILLIS }, () => pauseOf()),
    ...Array.from({ length: BLOCKED_AT_ONCE }, (_, desk) =>
      repeat('blocks', desk, { gap: pace.blockGapMillis, lasts: BLOCK_MILLIS }, (path) => blockOf(path, desk)),
    ),
  ])

  async function repeat(
    name: keyof typeof counts,
    desk: number,
    { gap, lasts }: Record<'gap' | 'lasts', { low: number; high: number }>,
    choose: (path: Path) => Restriction | undefined,
  ): Promise<void> {
    for (let n = 1; ; n++) {
      const path = ['operator', name, desk, n]
      await wait(between(seed, [...path, 'gap'], gap.low, gap.high))
      if (stopping.signal.aborted) return
      const restriction = choose(path)
      if (!restriction) return
      counts[name] += 1
      await restrict(restriction, between(seed, [...path, 'lasts'], lasts.low, lasts.high))
    }
  }

  function pauseOf(): Restriction {
    say('  the studio pauses the market')
    return { path: '/api/studio/pause', body: { message: 'Back in a moment.' }, wallet: undefined }
  }

  /** Each desk has players of its own, so that none is unblocked while another desk blocks it. */
  function blockOf(path: Path, desk: number): Restriction | undefined {
    const own = players.filter((_, index) => index % BLOCKED_AT_ONCE === desk)
    const wallet = pickOne(seed, [...path, 'player'], own)?.wallet.address
    const body = { reason: 'We are looking into something.', removeListings: happens(seed, [...path, 'removes'], REMOVES_LISTINGS) }
    return wallet === undefined ? undefined : { path: blockPath(wallet), body, wallet }
  }

  async function restrict({ path, body, wallet }: Restriction, millis: number): Promise<void> {
    const isKnown = await call({ method: 'PUT', path, body })
    const from = Date.now() + EVERYWHERE_MILLIS
    await wait(millis)
    const until = Date.now()
    await call({ method: 'DELETE', path })
    if (isKnown) restricted.push({ wallet, from, until })
  }

  /** @returns whether it was answered as it should be */
  async function call(sent: Call): Promise<boolean> {
    const answer = await api.callWithRetries(sent)
    if (answer?.status === 200) return true
    failures.push(`${sent.method} ${sent.path} failed: ${JSON.stringify(answer)}`)
    return false
  }

  function wait(millis: number): Promise<void> {
    return delay(millis, undefined, { signal: stopping.signal }).catch(() => undefined)
  }

  async function stillInForce(path: string, field: string): Promise<string[]> {
    const answer = await api.callWithRetries({ method: 'GET', path })
    return answer?.status === 200 && answer.body[field] === null ? [] : [`${path} is not over: ${JSON.stringify(answer)}`]
  }

  return {
    restricted,
    counts,
    stop: async () => {
      stopping.abort()
      await running
    },
    violations: async () => {
      const blocked = new Set(restricted.flatMap(({ wallet }) => wallet ?? []))
      const left = await stillInForce('/api/studio/pause', 'pause')
      for (const wallet of blocked) left.push(...(await stillInForce(blockPath(wallet), 'block')))
      return [...failures, ...left]
    },
  }
}

function blockPath(wallet: string): string {
  return `/api/studio/blocks/${wallet}`
}

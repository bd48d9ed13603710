import { setTimeout as sleep } from 'node:timers/promises'

import { claimDueCases, scheduleCaseLook } from './case-store.ts'
import { readEvidence } from './evidence.ts'
import { lookAtCase } from './look-at-case.ts'
import { lookAtPurchase } from './look-at-purchase.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { claimDue, scheduleLook } from './purchase-store.ts'
import { CASE_CLAIMS, CHAIN_DOWN_SECONDS, LEASE_SECONDS, nextOpenClaims, OPEN_CLAIMS, OVER_CLAIMS, pauseMillis } from './watch-schedule.ts'

/**
 * Looks after every open, settled and ended purchase and every case, on each node: what it needs to know stands in the database,
 * so a closed browser or a killed node changes nothing. `stop` waits for the looks that are under way.
 */
export function watchPurchases(deps: PurchaseDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = run(deps, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function run(deps: PurchaseDeps, signal: AbortSignal): Promise<void> {
  let openClaims = OPEN_CLAIMS.least
  let round: Round = { more: false, millis: 0 }
  while (!signal.aborted) {
    try {
      round = await watchOnce(deps, openClaims)
    } catch (error) {
      deps.log.warn({ err: error }, 'watching purchases failed; trying again')
    }
    openClaims = nextOpenClaims(openClaims, round.millis, round.more)
    await sleep(pauseMillis(round.millis, round.more), undefined, { signal }).catch(() => undefined)
  }
}

export interface Round {
  /** More may be due. */
  more: boolean
  /**
   * What a round takes whose looks wait for one another: twice their mean. A single one that hangs says nothing of what the chain's
   * endpoints bear.
   */
  millis: number
}

/** One round: takes up what is due, at most `openClaims` of what is open, and looks at it. */
export async function watchOnce(deps: PurchaseDeps, openClaims: number = OPEN_CLAIMS.least): Promise<Round> {
  const [open, over, cases] = await Promise.all([
    claimDue(deps.database, 'open', openClaims, LEASE_SECONDS),
    claimDue(deps.database, 'over', OVER_CLAIMS, LEASE_SECONDS),
    claimDueCases(deps.database, CASE_CLAIMS, LEASE_SECONDS),
  ])
  const evidence = readEvidence(deps, open)
  // Whoever needs it hears of its failure; a round in which nobody does must not end the process.
  evidence.catch(() => undefined)
  const looks = [
    ...[...open, ...over].map(async (purchase) => {
      const look = await orLater(deps, () => lookAtPurchase(deps, purchase, evidence))
      await scheduleLook(deps.database, purchase, look.nextSeconds, look)
    }),
    ...cases.map(async (row) => {
      const look = await orLater(deps, async () => ({ nextSeconds: await lookAtCase(deps, row), buyer: false }))
      await scheduleCaseLook(deps.database, row, look.nextSeconds)
    }),
  ]
  const more = open.length === openClaims || over.length === OVER_CLAIMS || cases.length === CASE_CLAIMS
  return { more, millis: 2 * (await meanMillis(looks)) }
}

async function meanMillis(looks: readonly Promise<void>[]): Promise<number> {
  const startedAt = performance.now()
  const times = await Promise.all(looks.map((look) => look.then(() => performance.now() - startedAt)))
  return times.length === 0 ? 0 : times.reduce((sum, time) => sum + time, 0) / times.length
}

/** A look that fails, mostly because the chain cannot be asked, is repeated soon: nothing was decided. */
async function orLater<T>(deps: PurchaseDeps, look: () => Promise<T>): Promise<T | { nextSeconds: number; buyer: boolean }> {
  try {
    return await look()
  } catch (error) {
    deps.log.warn({ err: error }, 'a look at a purchase failed; it is repeated')
    return { nextSeconds: CHAIN_DOWN_SECONDS, buyer: false }
  }
}

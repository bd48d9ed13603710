import { setTimeout as sleep } from 'node:timers/promises'

import { leaseDueCases, scheduleCaseReconciliation } from '../cases/case-store.ts'
import { readEvidence } from './chain-snapshot.ts'
import { reconcileCase } from './reconcile-case.ts'
import { reconcilePurchase } from './reconcile-purchase.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { leaseDue, scheduleReconciliation } from '../purchase-store.ts'
import { CASE_CLAIMS, CHAIN_DOWN_SECONDS, LEASE_SECONDS, nextOpenClaims, OPEN_CLAIMS, OVER_CLAIMS, pauseMillis } from './schedule.ts'

/**
 * Looks after every open, settled and ended purchase and every case, on each node: what it needs to know stands in the database,
 * so a closed browser or a killed node changes nothing. `stop` waits for the looks that are under way.
 */
export function startReconciliation(deps: PurchaseDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = run(deps, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Rounds under way at once, at most. */
const ROUNDS = 4
/** The next round begins after this long in any case: looks that hang keep no others waiting. */
const ROUND_MILLIS = 1_000

async function run(deps: PurchaseDeps, signal: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  let openClaims = OPEN_CLAIMS.least
  while (!signal.aborted) {
    let more = false
    try {
      const round = await beginRound(deps, openClaims)
      more = round.more
      underWay.add(round.done)
      void round.done.then(() => underWay.delete(round.done))
      await Promise.race([round.done, pause(ROUND_MILLIS, signal)])
    } catch (error) {
      deps.log.warn({ err: error }, 'watching purchases failed; trying again')
    }
    const state = { more, crowded: deps.chain.isCrowded() }
    openClaims = nextOpenClaims(openClaims, state)
    await pause(pauseMillis(state), signal)
    if (underWay.size >= ROUNDS) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  await sleep(millis, undefined, { signal }).catch(() => undefined)
}

/** One whole round: looks at what is due. */
export async function reconcileOnce(deps: PurchaseDeps): Promise<void> {
  const round = await beginRound(deps, OPEN_CLAIMS.least)
  await round.done
}

interface Round {
  /** More may be due. */
  more: boolean
  /** It never fails: what could not be looked at is due again when its lease ends. */
  done: Promise<unknown>
}

/** Takes up what is due, at most `openClaims` of what is open, and begins to look at it. */
async function beginRound(deps: PurchaseDeps, openClaims: number): Promise<Round> {
  const [open, over, cases] = await Promise.all([
    leaseDue(deps.database, 'open', openClaims, LEASE_SECONDS),
    leaseDue(deps.database, 'over', OVER_CLAIMS, LEASE_SECONDS),
    leaseDueCases(deps.database, CASE_CLAIMS, LEASE_SECONDS),
  ])
  const evidence = readEvidence(deps, open)
  // Whoever needs it hears of its failure; a round in which nobody does must not end the process.
  evidence.catch(() => undefined)
  const looks = [
    ...[...open, ...over].map(async (purchase) => {
      const look = await orLater(deps, () => reconcilePurchase(deps, purchase, evidence))
      await scheduleReconciliation(deps.database, purchase, look.nextSeconds, look)
    }),
    ...cases.map(async (row) => {
      const look = await orLater(deps, async () => ({ nextSeconds: await reconcileCase(deps, row), buyer: false }))
      await scheduleCaseReconciliation(deps.database, row, look.nextSeconds)
    }),
  ].map((look) => look.catch((error: unknown) => deps.log.warn({ err: error }, 'a look at a purchase could not be noted')))
  const more = open.length === openClaims || over.length === OVER_CLAIMS || cases.length === CASE_CLAIMS
  return { more, done: Promise.all(looks) }
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

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
  while (!signal.aborted) {
    const startedAt = performance.now()
    let more = false
    try {
      more = await watchOnce(deps, openClaims)
    } catch (error) {
      deps.log.warn({ err: error }, 'watching purchases failed; trying again')
    }
    const roundMillis = performance.now() - startedAt
    openClaims = nextOpenClaims(openClaims, roundMillis, more)
    await sleep(pauseMillis(roundMillis, more), undefined, { signal }).catch(() => undefined)
  }
}

/** One round: takes up what is due, at most `openClaims` of what is open, and looks at it. Gives whether more may be due. */
export async function watchOnce(deps: PurchaseDeps, openClaims: number = OPEN_CLAIMS.least): Promise<boolean> {
  const [open, over, cases] = await Promise.all([
    claimDue(deps.database, 'open', openClaims, LEASE_SECONDS),
    claimDue(deps.database, 'over', OVER_CLAIMS, LEASE_SECONDS),
    claimDueCases(deps.database, CASE_CLAIMS, LEASE_SECONDS),
  ])
  const evidence = readEvidence(deps, open)
  // Whoever needs it hears of its failure; a round in which nobody does must not end the process.
  evidence.catch(() => undefined)
  await Promise.all([
    ...[...open, ...over].map(async (purchase) => {
      const look = await orLater(deps, () => lookAtPurchase(deps, purchase, evidence))
      await scheduleLook(deps.database, purchase, look.nextSeconds, look)
    }),
    ...cases.map(async (row) => {
      const look = await orLater(deps, async () => ({ nextSeconds: await lookAtCase(deps, row), buyer: false }))
      await scheduleCaseLook(deps.database, row, look.nextSeconds)
    }),
  ])
  return open.length === openClaims || over.length === OVER_CLAIMS || cases.length === CASE_CLAIMS
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

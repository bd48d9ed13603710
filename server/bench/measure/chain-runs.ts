import { type Sender } from '../chain/buyer.ts'
import { renderRows } from './table.ts'

/** One measurement of purchases under a chain budget. */
export interface ChainRun {
  /** Requests a second that each endpoint allows. */
  limit: number
  endpoints: number
  sends: Sender
  offeredPerSecond: number
  deliveredPerSecond: number
  /** Requests at the endpoints for each delivered purchase, or for each hold if nobody pays, in all and by method. */
  requestsEach: number
  methodsEach: Record<string, number>
  /** Share of the requests that the endpoints allowed while buyers came. */
  budgetUsed: number
  /** Share of buyers who were refused a hold with CHAIN_BUSY. */
  busyShare: number
  /** Error replies to buyers, by code. */
  errors: Record<string, number>
  /** The most requests that arrived at one endpoint within one second. */
  busiestSecond: number
  /** Requests that the endpoints answered with 429. */
  tooMany: number
  /** Purchases that were paid and whose payment expired. */
  expired: number
  /** From the chain's confirmation to the delivery, in milliseconds. */
  p50: number
  p99: number
  /** Late searches that were due and not done when the load ended. */
  lateOutstanding: number
  /** Purchases still held or not final when the bench gave up waiting for them. */
  stillOpen: number
}

interface Goal {
  name: string
  value: number
  unit?: string
  /** Undefined where none can be stated, so that the figure stands alone. */
  goal: { least: number } | { most: number } | undefined
}

/** Simulating, sending, and shares of what is asked for many at once: the more purchases, the smaller. By purchases a second. */
const MOST_CO_SIGNED = [
  { from: 50, requests: 2.2 },
  { from: 8, requests: 2.5 },
  { from: 0, requests: 3 },
]
/** With the holds that are abandoned. */
const MOST_WALLET_SENT = 4
const MOST_ABANDONED = 20
const MOST_DELIVERY_MILLIS = 5_000
const LEAST_GAIN = 1.8

/** The purchases a second that one endpoint must carry: 3 of 10 requests a second, 15 of 50, 50 of 200. */
export function leastPerSecond(limit: number): number {
  return limit < 200 ? limit * 0.3 : limit * 0.25
}

/**
 * What a run must reach. A second endpoint is compared with the run that has one, if there is such a run. Only payments that the market sends
 * have a goal for their rate: that of the others follows from the budget and the requests for each.
 */
export function goalsOf(run: ChainRun, runs: readonly ChainRun[]): Goal[] {
  const one = runs.find((other) => other.endpoints === 1 && other.limit === run.limit && other.sends === run.sends)
  const least = run.endpoints > 1 && run.limit < 200 && one ? LEAST_GAIN * one.deliveredPerSecond : leastPerSecond(run.limit)
  return [
    { name: 'purchases/s', value: run.deliveredPerSecond, goal: run.sends === 'market' ? { least } : undefined },
    { name: 'requests each', value: run.requestsEach, goal: { most: mostRequests(run) } },
    { name: 'most in a second', value: run.busiestSecond, goal: { most: run.limit } },
    { name: 'CHAIN_DOWN', value: run.errors['CHAIN_DOWN'] ?? 0, goal: { most: 0 } },
    { name: 'expired', value: run.expired, goal: { most: 0 } },
    { name: 'delivery p99 ms', value: run.p99, goal: run.sends === 'nobody' ? undefined : { most: MOST_DELIVERY_MILLIS } },
  ]
}

function mostRequests({ sends, deliveredPerSecond }: ChainRun): number {
  if (sends === 'nobody') return MOST_ABANDONED
  if (sends === 'wallet') return MOST_WALLET_SENT
  return MOST_CO_SIGNED.find(({ from }) => deliveredPerSecond >= from)?.requests ?? NaN
}

export function isReached({ value, goal }: Goal): boolean {
  if (!goal) return true
  return 'least' in goal ? value >= goal.least : value <= goal.most
}

/** All runs as two tables for a terminal: figures beside their goals, and requests by method. */
export function renderChainRuns(runs: readonly ChainRun[]): string {
  const figures = runs.map((run) => [
    nameOf(run),
    short(run.offeredPerSecond),
    ...goalsOf(run, runs).map(renderGoal),
    short(run.p50),
    percent(run.budgetUsed),
    percent(run.busyShare),
    String(run.tooMany),
    String(run.lateOutstanding),
    String(run.stillOpen),
    pairsOf(run.errors)
      .map(([code, count]) => `${code} ${count}`)
      .join(', '),
  ])
  const goals = runs[0] ? goalsOf(runs[0], runs).map(({ name }) => name) : []
  const head = ['', 'offered/s', ...goals, 'p50 ms', 'budget used', 'busy', '429', 'late due', 'open', 'error replies']
  const methods = runs.map((run) => [
    nameOf(run),
    pairsOf(run.methodsEach)
      .map(([method, each]) => `${method} ${each.toFixed(2)}`)
      .join(', '),
  ])
  return `${renderRows([head, ...figures])}\n\n${renderRows([['', 'requests for each purchase, or hold'], ...methods])}`
}

function nameOf({ limit, endpoints, sends }: ChainRun): string {
  return `${limit} requests/s, ${endpoints} ${endpoints === 1 ? 'endpoint' : 'endpoints'}, ${sends} sends`
}

function renderGoal(goal: Goal): string {
  if (!goal.goal) return short(goal.value)
  const bound = 'least' in goal.goal ? `>= ${short(goal.goal.least)}` : `<= ${short(goal.goal.most)}`
  return `${short(goal.value)} (${bound} ${isReached(goal) ? 'met' : 'missed'})`
}

function pairsOf(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).toSorted(([, one], [, other]) => other - one)
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function short(value: number): string {
  return Number.isNaN(value) ? '-' : String(Number(value.toFixed(value >= 100 ? 0 : 2)))
}

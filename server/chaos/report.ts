import { type Checkout } from '@juicebar/contract/schemas'

import { type FaultCounts } from './chain-faults/faults.ts'
import { type Delivery } from './checks/confirmation-times.ts'
import { type Journal } from './players/journal.ts'
import { type EventStream } from './players/event-stream.ts'
import { type ProductRecord } from './checks/product-record.ts'

export interface ChaosReport {
  /** The report as text. */
  lines: string[]
  purchases: number
  settled: number
  /** In all. */
  seconds: number
  violations: string[]
}

interface Findings {
  seed: number
  journal: Journal
  product: ProductRecord
  checkouts: readonly Checkout[]
  faults: FaultCounts
  /** How often the servers called each method of the chain. */
  chainCalls: ReadonlyMap<string, number>
  /** Lines about what else failed. */
  disturbed: string[]
  streams: readonly EventStream[]
  deliveries: Delivery[]
  /** How often players' calls had to be repeated, by reason. */
  failedCalls: ReadonlyMap<string, number>
  rateLimited: number
  tradingSeconds: number
  seconds: number
  violations: string[]
}

const VIOLATIONS_SHOWN = 50
const SLOWEST_SHOWN = 3

/** Renders what was found as lines of text, one for each figure. */
export function summarise(findings: Findings): ChaosReport {
  const { journal, product, faults, disturbed, streams, violations } = findings
  const purchases = [...product.purchases.values()]
  const ended = (reason: string) => purchases.filter((purchase) => purchase.status === 'ended' && purchase.endReason === reason).length
  const settled = purchases.filter((purchase) => purchase.status === 'settled').length
  const deliveries = findings.deliveries.toSorted((a, b) => a.millis - b.millis)
  const times = deliveries.map(({ millis }) => millis)
  const lines = [
    row('seed', findings.seed),
    row('purchases started', `${purchases.length} (of ${journal.attempts} attempts)`),
    row('  only the market can send', share(purchases.filter(({ coSigned }) => coSigned).length, purchases.length)),
    row('  with several items', share(purchases.filter(({ items }) => items.length > 1).length, purchases.length)),
    row('  with parts of listings', purchases.filter(({ items }) => items.some(({ partOf }) => partOf !== null)).length),
    row('  with a fee', purchases.filter(({ fee }) => fee.lamports !== '0').length),
    row(
      '  settled',
      `${settled}, ${purchases.filter(({ status, coSigned }) => status === 'settled' && coSigned).length} of them co-signed`,
    ),
    row('  lapsed unpaid', ended('lapsed')),
    row('  payment expired', ended('expired')),
    row('  payment failed', ended('failed')),
    row('  cancelled', ended('cancelled')),
    row('prices changed', journal.acknowledged.priced),
    row('checkouts', tallied(findings.checkouts.map(({ status }) => status))),
    row('cases', tallied([...product.cases.values()].map(({ kind, status }) => `${kind} ${status}`))),
    row('clients crashed', counted(journal.crashes)),
    row('refusals', counted(journal.refusals)),
    row('repeated calls', counted(findings.failedCalls)),
    row('rate-limited calls', findings.rateLimited),
    row('faults injected', counted(Object.entries(faults))),
    row('calls of the chain', counted(findings.chainCalls)),
    ...disturbed,
    row('event streams', streams.map(({ seen, resets }) => `${seen.size} events, ${resets()} resets`).join('; ')),
    row(
      'confirmed to delivered',
      `median ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, maximum ${at(times, 1)} ms (${times.length} deliveries)`,
    ),
    ...deliveries.slice(-SLOWEST_SHOWN).map(({ purchaseId, millis }) => row('', `${millis} ms: ${journal.holds.get(purchaseId)?.story}`)),
    row(
      'speed',
      `${(purchases.length / findings.tradingSeconds).toFixed(1)} purchases/s over ${findings.tradingSeconds.toFixed(0)} s of trading, ${findings.seconds.toFixed(0)} s in all`,
    ),
    row('invariant violations', violations.length),
    ...violations.slice(0, VIOLATIONS_SHOWN).map((violation) => `  ${violation}`),
  ]
  return { lines, purchases: purchases.length, settled, seconds: findings.seconds, violations }
}

/** A line of the report. */
export function row(name: string, value: string | number): string {
  return `${name.padEnd(29)} ${value}`
}

/** The counts above zero in words, the greatest first. */
export function counted(counts: Iterable<readonly [string, number]>): string {
  const entries = [...counts].filter(([, count]) => count > 0).toSorted((a, b) => b[1] - a[1])
  return entries.map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
}

function share(part: number, whole: number): string {
  return whole === 0 ? '0' : `${part} (${((100 * part) / whole).toFixed(1)} %)`
}

function tallied(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counted(counts)
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

import { caseKinds } from '@juicebar/contract/schemas/cases'
import { type DatabasePool } from '../database/database-pool.ts'
import { type Family, type Sample } from './instruments.ts'

/** What the database alone knows: the same on every server of the market. */
export interface MarketReading {
  /** Open cases by kind: how many, and the age of the oldest in seconds. Kinds without any are left out. */
  openCases: Record<string, { count: number; oldest: number }>
  /** How many seconds the longest-waiting purchase or case has been due for reconciliation; null if none is due. */
  openPurchasesLag: number | null
  closedPurchasesLag: number | null
  casesLag: number | null
  /** Holds that only the studio can end. */
  waitForStudio: number
  /** Seconds since the oldest message that an enabled webhook has not received was recorded; null if none is missing. */
  webhookLag: number | null
  /** How many webhooks are on, or off for which reason. */
  webhooks: Record<string, number>
  /** Seconds since the oldest sale without a place in the order was settled; null if there is none. */
  stampingLag: number | null
  paused: boolean
}

/** More open cases or holds than this are counted as this many. */
const MOST = 10_000

/**
 * Someone is waiting for these; the others are watched in case of a late payment. Matches the conditions of the indexes on due purchases.
 */
const OPEN = `(status = 'held' or status = 'settled' and finalized_at is null)`
const lagOf = (time: string, source: string) => `(select extract(epoch from now() - ${time})::float8 from ${source} limit 1)`

/**
 * One statement, each part of which walks along an index to a limit. The oldest message that a webhook has not received is found for each
 * of its types, as when it is delivered.
 */
const READING = `
  select
    (select coalesce(json_object_agg(kind, json_build_object('count', count, 'oldest', oldest)), '{}') from (
      select kind, count(*) as count, extract(epoch from now() - min(opened_at)) as oldest from (
        select kind, opened_at from cases where status in ('open', 'refunding') limit ${MOST}
      ) open group by kind) kinds) as "openCases",
    ${lagOf('reconcile_at', `purchases where reconcile_at is not null and ${OPEN} order by reconcile_at`)} as "openPurchasesLag",
    ${lagOf('reconcile_at', `purchases where reconcile_at is not null and not ${OPEN} order by reconcile_at`)} as "closedPurchasesLag",
    ${lagOf('reconcile_at', 'cases where reconcile_at is not null order by reconcile_at')} as "casesLag",
    (select count(unprovable_at)::integer from (
      select unprovable_at from purchases where status = 'held' limit ${MOST}
    ) held) as "waitForStudio",
    (select extract(epoch from now() - least(
      (select min(oldest.created_at) from webhooks w cross join unnest(w.events) as wanted (type) cross join lateral (
        select created_at from webhook_messages m where m.type = wanted.type and m.ordinal > w.delivered_to order by m.ordinal limit 1
      ) oldest where w.enabled),
      (select created_at from webhook_outbox order by id limit 1)
    ))::float8) as "webhookLag",
    (select coalesce(json_object_agg(state, n), '{}') from (
      select coalesce(switched_off, 'on') as state, count(*)::integer as n from webhooks group by state) states) as webhooks,
    ${lagOf('noted_at', 'sales_to_stamp order by id')} as "stampingLag",
    exists (select from current_pause()) as paused`

/** Reads all of it, in one statement. Rejects if the database does not answer within the time-outs of the pool. */
export async function readMarket(pool: Pick<DatabasePool, 'query'>): Promise<MarketReading> {
  const { rows } = await pool.query<MarketReading>(READING)
  const [row] = rows
  if (!row) throw new Error('the database returned nothing')
  return row
}

const WEBHOOK_STATES = ['on', 'asked', 'gone', 'failed']

/** The metrics from the database: without samples if it could not be read, so that missing data is not mistaken for zero. */
export function marketFamilies(reading: MarketReading | undefined): Family[] {
  const gauge = (name: string, help: string, samplesOf: (reading: MarketReading) => Sample[]): Family => ({
    name,
    help: `${help} The same on every server.`,
    type: 'gauge',
    samples: reading ? samplesOf(reading) : [],
  })
  return [
    gauge('juicebar_open_cases', 'Payments that did not end in a delivery and are not settled yet, by kind.', ({ openCases }) =>
      caseKinds.map((kind) => ({ labels: { kind }, value: openCases[kind]?.count ?? 0 })),
    ),
    gauge(
      'juicebar_oldest_open_case_age_seconds',
      'The age of the oldest open case, by kind; missing where there is none.',
      ({ openCases }) => Object.entries(openCases).map(([kind, { oldest }]) => ({ labels: { kind }, value: oldest })),
    ),
    gauge(
      'juicebar_reconciliation_lag_seconds',
      'How long what is due has waited to be reconciled: open purchases, cases, and those that are closed and only watched.',
      ({ openPurchasesLag, closedPurchasesLag, casesLag }) => [
        { labels: { due: 'open' }, value: lag(openPurchasesLag) },
        { labels: { due: 'case' }, value: lag(casesLag) },
        { labels: { due: 'closed' }, value: lag(closedPurchasesLag) },
      ],
    ),
    gauge('juicebar_holds_waiting_for_studio', 'Holds that only the studio can end.', ({ waitForStudio }) => [{ value: waitForStudio }]),
    gauge('juicebar_webhook_lag_seconds', 'How long the oldest message has waited that a webhook has not got.', ({ webhookLag }) => [
      { value: lag(webhookLag) },
    ]),
    gauge('juicebar_webhooks', 'Webhooks, by state: on, or why they are off.', ({ webhooks }) =>
      WEBHOOK_STATES.map((state) => ({ labels: { state }, value: webhooks[state] ?? 0 })),
    ),
    gauge(
      'juicebar_sale_stamping_lag_seconds',
      'How long the oldest sale has waited that is not in the list of sales.',
      ({ stampingLag }) => [{ value: lag(stampingLag) }],
    ),
    gauge('juicebar_market_paused', 'Whether the market is paused, by the studio or until a recovery is clean.', ({ paused }) => [
      { value: Number(paused) },
    ]),
  ]
}

/** What is due only later is not late. */
function lag(seconds: number | null): number {
  return Math.max(0, seconds ?? 0)
}

import { caseKinds } from '@juicebar/contract/schemas/cases'

import { type MarketReading } from './market-reading-store.ts'
import { type Family, type Sample } from './text-format.ts'

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

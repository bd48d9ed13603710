import { type PurchaseObserver } from '../purchases/purchase/purchase-deps.ts'
import { type Count, Counter, type Distribution, Histogram, type Family } from './instruments.ts'

/** For calls: from a page in memory to a commit that waits. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** For deliveries: a payment is confirmed within a second, and final about 13 seconds later. */
const DELIVERY_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 120, 300, 900]
/** Requests that are not calls of the API: files of the web app, the API document, unknown paths. */
const NO_CALL = 'other'
/** An event stream is answered once it ends: how long that took says nothing. */
const STREAMS = 'events'

/** The counters of this process. */
export interface Counts {
  /** A request was answered: which call of the contract it was, if any, with what status, and after how many milliseconds. */
  answered(call: string | undefined, status: number, millis: number): void
  readonly purchases: PurchaseObserver
  webhookAttempt(delivered: boolean): void
  /** A value could not be read for a scrape. */
  scrapeFailed(source: 'database'): void
  families(): Family[]
}

interface CallCounts {
  statuses: Map<number, Count>
  duration: Distribution | undefined
}

export function createCounts(): Counts {
  const requests = new Counter(
    'juicebar_http_requests_total',
    'Requests answered, by call of the API and status; event streams once the server has ended them.',
    ['route', 'status'],
  )
  const durations = new Histogram('juicebar_http_request_duration_seconds', 'How long requests took. Event streams are left out.', {
    bounds: CALL_SECONDS,
    labelName: 'route',
  })
  const placed = new Counter('juicebar_holds_placed_total', 'Purchases held.')
  const offered = new Counter('juicebar_offers_total', 'Offers made for payments that only the market can send.')
  const reserved = new Counter('juicebar_reservations_total', 'Co-signed payments for which everything was reserved.')
  const refused = new Counter('juicebar_holds_refused_total', 'Holds, offers and co-signed payments that were refused, by error code.', [
    'code',
  ])
  const ended = new Counter('juicebar_holds_ended_total', 'Holds and reservations that ended unpaid, by reason.', ['reason'])
  const settled = new Counter('juicebar_purchases_settled_total', 'Purchases delivered.')
  const items = new Counter('juicebar_items_settled_total', 'Items of delivered purchases, by token type.', ['token_type'])
  const paid = new Counter('juicebar_settled_lamports_total', 'Lamports that sellers were paid for delivered purchases, without the fee.')
  const sinceConfirmed = new Histogram(
    'juicebar_delivery_after_confirmation_seconds',
    'From the moment in which a server first saw a payment confirmed until its delivery.',
    { bounds: DELIVERY_SECONDS },
  )
  const sinceSubmitted = new Histogram(
    'juicebar_delivery_after_submission_seconds',
    'From the moment in which a payment was recorded until its delivery. Payments that wallets sent themselves are left out.',
    { bounds: DELIVERY_SECONDS },
  )
  const opened = new Counter('juicebar_cases_opened_total', 'Cases opened, by kind.', ['kind'])
  const closed = new Counter('juicebar_cases_closed_total', 'Cases closed, by kind.', ['kind'])
  const attempts = new Counter('juicebar_webhook_attempts_total', 'Messages sent to webhooks, by outcome.', ['outcome'])
  const delivered = attempts.of('delivered')
  const failed = attempts.of('failed')
  const scrapeErrors = new Counter('juicebar_scrape_errors_total', 'Scrapes that lack values, by what could not be read.', ['source'])
  scrapeErrors.of('database')
  const all = [
    requests,
    durations,
    placed,
    offered,
    reserved,
    refused,
    ended,
    settled,
    items,
    paid,
    sinceConfirmed,
    sinceSubmitted,
    opened,
    closed,
    attempts,
    scrapeErrors,
  ]

  const calls = new Map<string, CallCounts>()
  const countsOf = (route: string): CallCounts => {
    const known = calls.get(route)
    if (known) return known
    const counts = { statuses: new Map<number, Count>(), duration: route === STREAMS ? undefined : durations.of(route) }
    calls.set(route, counts)
    return counts
  }
  const countStatus = ({ statuses }: CallCounts, route: string, status: number): void => {
    const known = statuses.get(status) ?? requests.of(route, String(status))
    known.value += 1
    statuses.set(status, known)
  }

  return {
    answered: (route = NO_CALL, status, millis) => {
      const counts = countsOf(route)
      countStatus(counts, route, status)
      counts.duration?.observe(millis / 1_000)
    },
    purchases: {
      holdPlaced: () => void (placed.of().value += 1),
      offered: () => void (offered.of().value += 1),
      reserved: () => void (reserved.of().value += 1),
      holdRefused: (code) => void (refused.of(code).value += 1),
      holdEnded: (reason) => void (ended.of(reason).value += 1),
      settled: ({ tokenTypes, priceLamports, secondsSinceConfirmed, secondsSinceSubmitted }) => {
        settled.of().value += 1
        for (const tokenType of tokenTypes) items.of(tokenType).value += 1
        paid.of().value += Number(priceLamports)
        sinceConfirmed.of().observe(secondsSinceConfirmed)
        if (secondsSinceSubmitted !== null) sinceSubmitted.of().observe(secondsSinceSubmitted)
      },
      caseChanged: (change, kind) => void ((change === 'opened' ? opened : closed).of(kind).value += 1),
    },
    webhookAttempt: (wasDelivered) => void ((wasDelivered ? delivered : failed).value += 1),
    scrapeFailed: (source) => void (scrapeErrors.of(source).value += 1),
    families: () => all.map((each) => each.family()),
  }
}

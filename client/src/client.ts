import { setTimeout as sleep } from 'node:timers/promises'

import { Webhook } from 'standardwebhooks'

import { type Calls, endpoints, type Sale, type WebhookMessage } from './calls.ts'

export type * from './calls.ts'

/** The name of a call, as in the market's API document. */
export type CallName = keyof Calls

interface RequestOptions {
  /** Gives up the call and its retries. */
  signal?: AbortSignal
}

type Input<Name extends CallName> = Calls[Name]['input']
/** What a call takes may be left out if nothing of it has to be given. */
type Arguments<Name extends CallName> =
  object extends Input<Name> ? [input?: Input<Name> & RequestOptions] : [input: Input<Name> & RequestOptions]

/** Every call of the studio, by its name. */
export type Market = { [Name in CallName]: (...given: Arguments<Name>) => Promise<Calls[Name]['reply']> } & {
  /**
   * Every sale of the market, once, in an order that never changes, page by page, for as long as you read on. Save `next` in the same
   * transaction as what you do with the sales, and pass it as `after` when you start again.
   */
  sales: (options?: SalesOptions) => AsyncGenerator<SalesPage, void, void>
}

export interface SalesPage {
  sales: Sale[]
  /** Where to go on. */
  next: string
}

export interface SalesOptions extends RequestOptions {
  /** The `next` of the last page that you have; left out, from the first sale on. */
  after?: string
  /** Seconds until it looks again once there is nothing new; 10 by default. 0: it ends then. */
  everySeconds?: number
}

export interface MarketOptions {
  /** Where the market is, such as `https://market.example`. */
  url: string
  /** A studio key with the scopes that the calls need. */
  key: string
  /** How often a call is repeated at most, if that is safe; 5 by default. */
  retries?: number
  /** Instead of the global one. */
  fetch?: typeof fetch
}

/** The market has refused a call. */
export class MarketError extends Error {
  override readonly name = 'MarketError'
  readonly status: number
  /** Which rule of the market refused it, such as `CHECKOUT_OFF`. */
  readonly code: string
  /** In how many seconds it makes sense to try again; undefined if the market did not say. */
  readonly retryAfter: number | undefined

  constructor(status: number, { code, error }: { code: string; error: string }, retryAfter: number | undefined) {
    super(error)
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

const RETRIES = 5
const FIRST_PAUSE_MILLIS = 500
const LONGEST_PAUSE_MILLIS = 8_000
/** Whoever is told to wait longer hears so at once. */
const LONGEST_WAIT_SECONDS = 60
const ATTEMPT_MILLIS = 30_000
const EVERY_SECONDS = 10
const SALES_PAGE = 500

/**
 * Makes the calls of a market's studio API, one method for each: `market.createCheckout({ body })`. A call that got no answer, or one that says
 * nothing about it (status 500 and above), is repeated with growing pauses, if repeating it has no further effect: every call but a POST without
 * an `idempotencyKey`. One that came too soon (429) is repeated after the time that the market names.
 *
 * Each method throws `MarketError` if the market refuses the call, and what `fetch` throws if the market cannot be reached.
 */
export function createMarket({ url, key, retries = RETRIES, fetch: send = fetch }: MarketOptions): Market {
  const call = async (name: CallName, input: AnyInput = {}): Promise<unknown> => {
    const request = requestOf(new URL(url), name, input, key)
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(send, request, input.signal)
      if ('reply' in outcome) return outcome.reply
      const pause = attempt <= retries ? pauseAfter(outcome.failure, attempt, request) : undefined
      if (pause === undefined || input.signal?.aborted) throw outcome.failure
      await sleep(pause, undefined, input.signal ? { signal: input.signal } : {})
    }
  }
  const calls = Object.fromEntries(Object.keys(endpoints).map((name) => [name, (input?: AnyInput) => call(name as CallName, input)]))
  const market = calls as unknown as Market
  market.sales = (options) => followSales(market, options)
  return market
}

interface AnyInput extends RequestOptions {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
}

interface PreparedRequest {
  url: URL
  init: RequestInit
  /** Making it twice has the effect of making it once. */
  repeatable: boolean
}

function requestOf(market: URL, name: CallName, { params = {}, query = {}, body }: AnyInput, key: string): PreparedRequest {
  const [method = '', pattern = ''] = endpoints[name].split(' ')
  const url = new URL(
    pattern.replaceAll(/:(\w+)/g, (_, part: string) => encodeURIComponent(params[part] ?? '')),
    market,
  )
  for (const [field, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(field, String(value))
  const hasBody = body !== undefined && body !== null
  const headers = { authorization: `Bearer ${key}`, ...(hasBody && { 'content-type': 'application/json' }) }
  const init = { method, headers, ...(hasBody && { body: JSON.stringify(body) }) }
  return { url, init, repeatable: method !== 'POST' || hasIdempotencyKey(body) }
}

/** Of orders, each has its own. */
function hasIdempotencyKey(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('idempotencyKey' in body || 'orders' in body)
}

type Outcome = { reply: unknown } | { failure: Error }

async function attemptOnce(send: typeof fetch, { url, init }: PreparedRequest, signal: AbortSignal | undefined): Promise<Outcome> {
  const timeout = AbortSignal.timeout(ATTEMPT_MILLIS)
  try {
    const answer = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
    const reply: unknown = answer.status === 204 ? undefined : await answer.json()
    return answer.ok ? { reply } : { failure: failureOf(answer, reply) }
  } catch (error) {
    return { failure: error instanceof Error ? error : new Error(String(error)) }
  }
}

function failureOf({ status, headers }: Response, reply: unknown): MarketError {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new MarketError(status, reply as { code: string; error: string }, Number.isNaN(seconds) ? undefined : seconds)
}

/** The milliseconds to wait before the call is repeated; undefined if it is not. */
function pauseAfter(failure: Error, attempt: number, { repeatable }: PreparedRequest): number | undefined {
  const growing = Math.min(FIRST_PAUSE_MILLIS * 2 ** (attempt - 1), LONGEST_PAUSE_MILLIS) * (0.5 + Math.random() / 2)
  if (!(failure instanceof MarketError)) return repeatable ? growing : undefined
  const { status, retryAfter = 0 } = failure
  const isPassing = status === 429 || (status >= 500 && repeatable)
  return isPassing && retryAfter <= LONGEST_WAIT_SECONDS ? Math.max(growing, retryAfter * 1_000) : undefined
}

async function* followSales(market: Market, { after, everySeconds = EVERY_SECONDS, signal }: SalesOptions = {}): SalesPages {
  for (let from = after; ;) {
    const page = await market.studioSales({
      query: { limit: SALES_PAGE, ...(from !== undefined && { after: from }) },
      ...(signal && { signal }),
    })
    from = page.next
    if (page.sales.length > 0) yield page
    else if (everySeconds === 0) return
    else await sleep(everySeconds * 1_000, undefined, signal ? { signal } : {})
  }
}

type SalesPages = AsyncGenerator<SalesPage, void, void>

/**
 * A message of a webhook, once its signature is verified.
 *
 * @param secret `whsec_…`, as the market returned it when the webhook was made
 * @param body as it arrived, before it is parsed
 * @param headers of the request: at least those that begin with `webhook-`
 * @throws if the message is not the market's, or more than five minutes old
 */
export function verifyWebhook(
  secret: string,
  body: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): WebhookMessage {
  const texts = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return new Webhook(secret).verify(body, Object.fromEntries(texts) as Record<string, string>) as WebhookMessage
}

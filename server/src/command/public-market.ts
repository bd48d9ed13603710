import { setTimeout as sleep } from 'node:timers/promises'

import { type Signature } from '@juicebar/contract/addresses'
import { MAX_LISTINGS_PAGE, MAX_SALES_PAGE } from '@juicebar/contract/limits'
import { figureCalls } from '@juicebar/contract/schemas/figures/figure-calls'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

import { type TradedPayment } from './public-audit.ts'

/** What anybody can read of a market. */
export interface PublicMarket {
  /** The keys that sign its payments, present and former. */
  keys(): Promise<string[]>
  /** Its co-signed trades since a moment, summed by payment. */
  trades(sinceMillis: number): Promise<Map<Signature, TradedPayment>>
  /** The payments that became cases, after a place in their order; all of them if the market no longer knows that place. */
  unmatched(after: string | undefined): Promise<{ signatures: Signature[]; next: string }>
}

const ConfigSchema = Type.Object({ coSigner: Type.Union([Type.String(), Type.Null()]), formerCoSigners: Type.Array(Type.String()) })
const TradesSchema = figureCalls.trades.response[200]
const UnmatchedSchema = figureCalls.unmatched.response[200]
/** A market that is asked too often says for how long to wait. */
const MAX_WAIT_SECONDS = 60
const CONFLICT = 409
const TOO_MANY_REQUESTS = 429

/** The public API of a market. Every call throws an Error with a sentence if the market does not answer as Juicebar does. */
export function connectMarket(origin: string): PublicMarket {
  return {
    keys: async () => {
      const { coSigner, formerCoSigners } = await ask(origin, '/api/config', ConfigSchema)
      return [...new Set([...(coSigner === null ? [] : [coSigner]), ...formerCoSigners])]
    },
    trades: (since) => readTrades(origin, since),
    unmatched: async (after) => {
      try {
        return await readUnmatched(origin, after)
      } catch (error) {
        if (after === undefined || !(error instanceof Refused && error.status === CONFLICT)) throw error
        return readUnmatched(origin, undefined)
      }
    },
  }
}

async function readTrades(origin: string, sinceMillis: number): Promise<Map<Signature, TradedPayment>> {
  const paid = new Map<Signature, TradedPayment>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = new URLSearchParams({ limit: String(MAX_LISTINGS_PAGE), ...(cursor && { cursor }) }).toString()
    const page: Static<typeof TradesSchema> = await ask(origin, `/api/marketplace/trades?${query}`, TradesSchema)
    for (const trade of page.trades.filter(({ coSigned }) => coSigned)) {
      const since = Date.parse(trade.settledAt)
      const sum = paid.get(trade.signature as Signature)?.lamports ?? 0n
      paid.set(trade.signature as Signature, { lamports: sum + BigInt(trade.lamports) + BigInt(trade.feeLamports), since })
    }
    const last = page.trades.at(-1)
    // All items of a payment are of the same time.
    if (last && Date.parse(last.settledAt) < sinceMillis) break
    if (page.nextCursor === cursor) throw new Error(`The market at ${origin} repeats its trades.`)
    cursor = page.nextCursor
  }
  return new Map([...paid].filter(([, { since }]) => since >= sinceMillis))
}

async function readUnmatched(origin: string, from: string | undefined): Promise<{ signatures: Signature[]; next: string }> {
  const signatures: Signature[] = []
  let after = from
  for (;;) {
    const query = new URLSearchParams({ limit: String(MAX_SALES_PAGE), ...(after !== undefined && { after }) }).toString()
    const { payments, next } = await ask(origin, `/api/marketplace/unmatched?${query}`, UnmatchedSchema)
    signatures.push(...payments.map(({ signature }) => signature as Signature))
    if (payments.length === 0 || next === after) return { signatures, next }
    after = next
  }
}

class Refused extends Error {
  readonly status: number

  constructor(sentence: string, status: number) {
    super(sentence)
    this.status = status
  }
}

async function ask<Schema extends TSchema>(origin: string, path: string, schema: Schema): Promise<Static<Schema>> {
  const url = new URL(path, origin)
  const reply = await fetch(url).catch((cause: unknown) => {
    throw new Error(`The market does not answer at ${origin}.`, { cause })
  })
  if (reply.status === TOO_MANY_REQUESTS) {
    await sleep(Math.min(MAX_WAIT_SECONDS, Math.max(1, Number(reply.headers.get('retry-after')) || 1)) * 1_000)
    return ask(origin, path, schema)
  }
  if (!reply.ok) throw new Refused(`The market at ${origin} refused ${url.pathname} with status ${reply.status}.`, reply.status)
  const body: unknown = await reply.json().catch(() => undefined)
  if (!Compile(schema).Check(body)) throw new Error(`The market at ${origin} does not answer ${url.pathname} as this version does.`)
  return body
}

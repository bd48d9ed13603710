import { setTimeout as delay } from 'node:timers/promises'

import { candleSteps } from '@juicebar/contract/schemas/figures/figure-calls'
import { type Reply } from '@juicebar/contract/calls'
import { type Listing } from '@juicebar/contract/schemas'

import { tokens } from '../../catalogue.ts'
import { type ApiClient, createApiClient } from '../../players/api-client.ts'
import { checkFigures, type FiguresSeen, type Trade } from './check-figures.ts'
import { type ProductRecord } from '../product-record.ts'
import { read, readAll, readField } from '../read-product-api.ts'

const ATTEMPTS = 20
/** Replies from memory are renewed within a second. */
const PAUSE_MILLIS = 1_000
const root = '/api/marketplace'

/**
 * Compares what each server tells everybody about the market with what the players see. Called when nothing is sold any more; a server that
 * still has to add something up gets time for it.
 * @returns a sentence for every kind of violation
 */
export async function checkServersFigures(urls: readonly string[], product: ProductRecord): Promise<string[]> {
  const found = await Promise.all(urls.map((url) => checkServer(url, product)))
  return found.flatMap((violations, index) => violations.map((violation) => `server ${index + 1}: ${violation}`))
}

async function checkServer(url: string, product: ProductRecord): Promise<string[]> {
  const api = createApiClient({ urls: () => [url], localAddress: undefined })
  try {
    let violations: string[] = []
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      violations = checkFigures(await readFigures(api), product, Date.now())
      if (violations.length === 0) return []
      await delay(PAUSE_MILLIS)
    }
    return violations
  } finally {
    api.stop()
  }
}

async function readFigures(api: ApiClient): Promise<FiguresSeen> {
  const candles = new Map<string, Reply<'candles'>['candles']>()
  const depths = new Map<string, Reply<'depth'>>()
  for (const token of tokens) {
    depths.set(token, await read(api, `${root}/depth?tokenType=${token}`))
    for (const step of candleSteps) {
      candles.set(`${token} ${step}`, await readField(api, `${root}/candles?tokenType=${token}&step=${step}`, 'candles'))
    }
  }
  return {
    trades: await readAll<Trade>(api, 'trades', 'trades'),
    listings: await readAll<Listing>(api, 'listings', 'listings'),
    candles,
    depths,
    summary: await readField(api, `${root}/summary`, 'items'),
  }
}

import { createChainClient } from '../../chaos/players/chain-client.ts'
import { type Trade } from '../databases/trades.ts'
import { payAll } from './run-trades.ts'

/** What differs between two answers that say the same: random, or a time. */
const DIFFERENT = new Set(['purchaseId', 'reference', 'signature', 'payBefore', 'payMillisLeft', 'createdAt', 'settledAt'])

/** Buys, pays and confirms. @returns the answers to both calls */
export async function tradeOnce(port: number, trade: Trade, walletsUrl: string): Promise<unknown[]> {
  const { listingId, jwt } = trade
  const held = await post(port, `/api/marketplace/buy/${listingId}`, jwt)
  const { transactionDetails } = held as { transactionDetails: { reference: string } }
  const references = new Map([[listingId, transactionDetails.reference]])
  const [payment] = await payAll(createChainClient(walletsUrl), [trade], references)
  const body = { listingId, transactionSignature: payment?.signature }
  return [held, await post(port, '/api/marketplace/confirm-purchase', jwt, body)]
}

/** The answers with the type alone of what differs each time. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, field]): [string, unknown] => [
    name,
    DIFFERENT.has(name) ? typeof field : comparable(field),
  ])
  return Object.fromEntries(entries)
}

async function post(port: number, path: string, jwt: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${jwt}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const reply: unknown = await response.json()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(reply)}`)
  return reply
}

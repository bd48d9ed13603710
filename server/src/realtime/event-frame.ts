import { type MarketEvent } from '@juicebar/contract/events'

import { type OutboxEvent, type Position } from './outbox-store.ts'

const positionText = /^(\d{1,20})-(\d{1,19})$/

/** A position as the `id` of a server-sent event. */
export function formatPosition({ xid, id }: Position): string {
  return `${xid}-${id}`
}

/** Reads a client's `Last-Event-ID`. @returns undefined if it is not an id of ours */
export function parsePosition(text: string): Position | undefined {
  const match = positionText.exec(text)
  const [, xid, id] = match ?? []
  if (xid === undefined || id === undefined) return undefined
  return BigInt(xid) < 2n ** 64n && BigInt(id) < 2n ** 63n ? { xid, id: BigInt(id) } : undefined
}

/** A position that no event has. Its reader is told to reset, like one whose last event is no longer kept. */
export const nowhere: Position = { xid: '0', id: -1n }

/** Whether `a` comes after `b` in the outbox. */
export function isAfter(a: Position, b: Position): boolean {
  const transactionA = BigInt(a.xid)
  const transactionB = BigInt(b.xid)
  return transactionA === transactionB ? a.id > b.id : transactionA > transactionB
}

/** An event's bytes on the stream: rendered once and written to every stream. */
export function renderFrame(event: OutboxEvent): Buffer {
  return Buffer.from(`id: ${formatPosition(event)}\nevent: ${event.type}\ndata: ${event.json}\n\n`)
}

/** A frame about the stream itself, with the position that it has reached. */
export function renderNotice(type: Extract<MarketEvent['type'], 'ready' | 'reset'>, position: Position): Buffer {
  return Buffer.from(`id: ${formatPosition(position)}\nevent: ${type}\ndata: ${JSON.stringify({ type })}\n\n`)
}

/** Tells the client how many milliseconds to wait before it reconnects. */
export function renderRetry(millis: number): Buffer {
  return Buffer.from(`retry: ${millis}\n\n`)
}

/** A comment that keeps proxies from closing a quiet stream and lets clients notice a dead one. */
export const heartbeat = Buffer.from(': beat\n\n')

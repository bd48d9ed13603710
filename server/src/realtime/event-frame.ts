import { type MarketEvent } from '@juicebar/contract/events'

import { type OutboxEvent, type Position } from './outbox-store.ts'

const positionText = /^(\d{1,20})-(\d{1,19})-(\d{1,19})$/

/** A position as the `id` of a server-sent event. */
export function formatPosition({ xid, id, at }: Position): string {
  return `${xid}-${id}-${at}`
}

/** The id of the last event that a feed has passed on; undefined before its first read. */
export function lastEventId(feed: { position(): Position | undefined }): string | undefined {
  const position = feed.position()
  return position && formatPosition(position)
}

/** Reads a client's `Last-Event-ID`. @returns undefined if it is not an id of ours */
export function parsePosition(text: string): Position | undefined {
  const match = positionText.exec(text)
  const [, xid, id, at] = match ?? []
  if (xid === undefined || id === undefined || at === undefined) return undefined
  const bounded = BigInt(xid) < 2n ** 64n && BigInt(id) < 2n ** 63n && BigInt(at) < 2n ** 63n
  return bounded ? { xid, id: BigInt(id), at: BigInt(at) } : undefined
}

/** A position that no event has. Its reader is told to reset, like one whose last event is no longer kept. */
export const nowhere: Position = { xid: '0', id: -1n, at: 0n }

/** Whether `a` comes after `b` in the outbox. */
export function isAfter(a: Position, b: Position): boolean {
  const transactionA = BigInt(a.xid)
  const transactionB = BigInt(b.xid)
  return transactionA === transactionB ? a.id > b.id : transactionA > transactionB
}

/** Whether both are the place of one and the same event. */
export function isSame(a: Position, b: Position): boolean {
  return a.xid === b.xid && a.id === b.id && a.at === b.at
}

/** An event's bytes on the stream: rendered once and written to every stream. */
export function renderFrame(event: OutboxEvent): Buffer {
  return Buffer.from(`id: ${formatPosition(event)}\nevent: ${event.type}\ndata: ${event.json}\n\n`)
}

/** A frame about the stream itself, with the position that it has reached. */
export function renderNotice(type: Extract<MarketEvent['type'], 'ready' | 'reset'>, position: Position): Buffer {
  return Buffer.from(`id: ${formatPosition(position)}\nevent: ${type}\ndata: ${JSON.stringify({ type })}\n\n`)
}

/** A frame that every stream may carry at any time. Without an id, a stream cannot resume from it. */
export function renderOutage(event: Extract<MarketEvent, { type: 'outage.began' | 'outage.ended' }>): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** Tells the client how many milliseconds to wait before it reconnects. */
export function renderRetry(millis: number): Buffer {
  return Buffer.from(`retry: ${millis}\n\n`)
}

/** A comment that keeps proxies from closing a quiet stream and lets clients notice a dead one. */
export const heartbeat = Buffer.from(': beat\n\n')

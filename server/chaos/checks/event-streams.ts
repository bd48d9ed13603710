import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { type Player } from '../players/player.ts'
import { type EventStream, openEventStream } from '../players/event-stream.ts'

/** Event streams that stay open through a whole run: of visitors and of players, on each server. */
export interface EventStreams {
  streams: readonly EventStream[]
  /** Waits until the streams have what the outbox has, and closes them. @returns a sentence for each that missed something */
  close(databaseUrl: string): Promise<string[]>
}

interface OutboxEvent {
  id: string
  audience: string[] | null
}

/** With the ids that streams carry: transaction, number, and the time in microseconds. */
const OUTBOX = `
  select concat_ws('-', xid, id, (extract(epoch from created_at) * 1000000)::bigint) as id, audience from events order by xid, id`
const CATCH_UP_MILLIS = 30_000
const POLL_MILLIS = 500
const MISSED_SHOWN = 3

export function openEventStreams(urls: readonly string[], players: readonly Player[]): EventStreams {
  const streams = urls.flatMap((_, index) => [
    openEventStream({ urls, first: index, player: undefined }),
    openEventStream({ urls, first: index, player: players[index] }),
  ])
  return {
    streams,
    close: async (databaseUrl) => {
      const violations = await untilComplete(databaseUrl, streams)
      for (const stream of streams) stream.close()
      return violations
    },
  }
}

async function untilComplete(databaseUrl: string, streams: readonly EventStream[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    for (const deadline = Date.now() + CATCH_UP_MILLIS; ; await delay(POLL_MILLIS)) {
      const { rows } = await client.query<OutboxEvent>(OUTBOX)
      const violations = streams.flatMap((stream) => whatIsMissing(stream, rows))
      if (violations.length === 0 || Date.now() > deadline) return violations
    }
  } finally {
    await client.end()
  }
}

/** A stream must have seen each event that is for it since it began, or since it was last told to reset. */
function whatIsMissing({ name, wallet, seen, since }: EventStream, events: readonly OutboxEvent[]): string[] {
  const from = since()
  if (from === undefined) return [`${name} was never ready`]
  const due = events.filter(
    ({ id, audience }) => isAfter(id, from) && (audience === null || (wallet !== undefined && audience.includes(wallet))),
  )
  const missed = due.filter(({ id }) => !seen.has(id))
  const shown = missed.slice(0, MISSED_SHOWN).map(({ id }) => id)
  return missed.length === 0 ? [] : [`${name} missed ${missed.length} of ${due.length} events, without a reset: ${shown.join(', ')}, …`]
}

function isAfter(a: string, b: string): boolean {
  const [[xidA, idA], [xidB, idB]] = [numbersOf(a), numbersOf(b)]
  return xidA === xidB ? idA > idB : xidA > xidB
}

function numbersOf(position: string): [bigint, bigint] {
  const [xid = '0', id = '0'] = position.split('-')
  return [BigInt(xid), BigInt(id)]
}

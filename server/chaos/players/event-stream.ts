import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

import { type Player } from './player.ts'

/** A client of the event stream that reconnects like a web app: with the last id it saw, to whichever server answers. */
export interface EventStream {
  name: string
  /** Whose private events it carries, too. */
  wallet: string | undefined
  /** The ids of the events that arrived. */
  seen: ReadonlySet<string>
  /** When events arrived, in Unix milliseconds. */
  arrivals: readonly number[]
  /** How often it was told to reset. */
  resets(): number
  /** The position after which every event must arrive; undefined before the stream was ready. */
  since(): string | undefined
  close(): void
}

interface Options {
  /** The servers, and the index of the first to try. */
  urls: readonly string[]
  first: number
  /** Undefined for a visitor. */
  player: Player | undefined
}

const RECONNECT_MILLIS = 500
/** A server that lives sends a comment every 15 s. */
const SILENT_MILLIS = 20_000

export function openEventStream({ urls, first, player }: Options): EventStream {
  const seen = new Set<string>()
  const arrivals: number[] = []
  const closing = new AbortController()
  let last: string | undefined
  let since: string | undefined
  let resets = 0
  void run()

  async function run(): Promise<void> {
    for (let turn = first; !closing.signal.aborted; turn++) {
      await read(`${urls[turn % urls.length] ?? ''}/api/marketplace/events`).catch(() => undefined)
      await delay(RECONNECT_MILLIS, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  async function read(url: string): Promise<void> {
    const headers = {
      ...(player?.api.bearer !== undefined && { authorization: `Bearer ${player.api.bearer}` }),
      ...(last !== undefined && { 'last-event-id': last }),
    }
    const request = httpRequest(url, { agent: false, headers, signal: closing.signal, timeout: SILENT_MILLIS }).end()
    request.on('error', () => undefined).once('timeout', () => request.destroy())
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) return void request.destroy()
    const frame = new Map<string, string>()
    for await (const line of createInterface({ input: response })) {
      const [field = '', value = ''] = line.split(': ', 2)
      if (line !== '') frame.set(field, value)
      else {
        take(frame.get('event'), frame.get('id'))
        frame.clear()
      }
    }
  }

  function take(event: string | undefined, id: string | undefined): void {
    if (event === undefined || id === undefined) return
    last = id
    switch (event) {
      case 'ready':
        since ??= id
        return
      case 'reset':
        resets += 1
        since = id
        return
      default:
        seen.add(id)
        arrivals.push(Date.now())
    }
  }

  return {
    name: `the stream of ${player?.name ?? 'a visitor'} that began on server ${first + 1}`,
    wallet: player?.wallet.address,
    seen,
    arrivals,
    resets: () => resets,
    since: () => since,
    close: () => closing.abort(),
  }
}

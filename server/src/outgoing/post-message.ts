import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { type LookupFunction } from 'node:net'

import { isPublicAddress, namesPrivateAddress } from './address.ts'

const ATTEMPT_MILLIS = 15_000
const KEPT_ANSWER_BYTES = 1_024
/** How much of an answer is read in order to reuse its connection; if it is longer, the connection is closed. */
const READ_ANSWER_BYTES = 64 * 1_024
const MAX_ERROR_LENGTH = 200
const IDLE_CONNECTION_MILLIS = 30_000

export interface Post {
  url: string
  headers: Record<string, string>
  body: string | Buffer
}

/** The outcome of one request. */
export interface Outcome {
  /** Of the answer; null if there was none. */
  status: number | null
  /** Why there was no answer, or no valid one, in words. */
  error: string | null
  /** The beginning of the answer's body. */
  answer: string
  latencyMillis: number
}

export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

interface PostOptions {
  /** Private addresses are allowed. */
  allowPrivate: boolean
  /** Of one request, from the name's resolution to the end of the answer. */
  attemptMillis?: number
  resolve?: Resolve
}

export interface Poster {
  /**
   * Posts a body and returns the outcome, whatever it is. Follows no redirects.
   * @param signal stops it, in which case it returns undefined
   */
  post(message: Post, signal: AbortSignal): Promise<Outcome | undefined>
  /** Closes idle connections. */
  close(): void
}

/**
 * Posts to addresses that someone else supplied. Unless private ones are allowed, every connection checks its address: the address that the
 * name resolves to at that moment is both checked and connected to, so that a second DNS answer cannot replace it.
 */
export function createPoster({ allowPrivate, attemptMillis = ATTEMPT_MILLIS, resolve = lookup }: PostOptions): Poster {
  const keep = { keepAlive: true, timeout: IDLE_CONNECTION_MILLIS, maxFreeSockets: 2 }
  const agents = { http: new http.Agent(keep), https: new https.Agent(keep) }
  const checkedLookup: LookupFunction = (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !allowPrivate && !isPublicAddress(address))
      const [first] = addresses ?? []
      if (error || refused || !first) done(error ?? new Error(refused ? PRIVATE : 'its name has no address'), [])
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }

  const send = async (message: Post, signal: AbortSignal): Promise<Answer> => {
    const url = new URL(message.url)
    if (!allowPrivate && namesPrivateAddress(url)) throw new Error(PRIVATE)
    const options = { method: 'POST', headers: message.headers, lookup: checkedLookup, signal }
    return new Promise((done, failed) => {
      const request =
        url.protocol === 'https:'
          ? https.request(url, { ...options, agent: agents.https })
          : http.request(url, { ...options, agent: agents.http })
      let isOver = false
      const end = (act: () => unknown) => {
        if (!isOver) act()
        isOver = true
      }
      request.on('response', (response) => end(() => done(readAnswer(response))))
      request.on('error', (error: NodeJS.ErrnoException) =>
        end(() => {
          // A receiver may close a kept-open connection just as it is used again.
          if (request.reusedSocket && error.code === 'ECONNRESET') done(send(message, signal))
          else failed(error)
        }),
      )
      request.on('close', () => end(() => failed(new Error('the connection was closed without an answer'))))
      request.end(message.body)
    })
  }

  return {
    post: async (message, signal) => {
      const giveUp = new AbortController()
      const timer = setTimeout(() => giveUp.abort(), attemptMillis)
      const stop = () => giveUp.abort()
      signal.addEventListener('abort', stop)
      const startedAt = performance.now()
      const outcome = (result: Omit<Outcome, 'latencyMillis'>) => ({ ...result, latencyMillis: Math.round(performance.now() - startedAt) })
      try {
        signal.throwIfAborted()
        const { status, answer } = await send(message, giveUp.signal)
        return outcome({ status, answer, error: status >= 300 && status < 400 ? 'redirects are not followed' : null })
      } catch (error) {
        if (signal.aborted) return undefined
        const reason = giveUp.signal.aborted ? `no answer in ${attemptMillis / 1_000} s` : reasonOf(error)
        return outcome({ status: null, answer: '', error: reason })
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
      }
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

const PRIVATE = 'its address is not a public one'

interface Answer {
  status: number
  answer: string
}

/** The status decides, so what happens to the body does not matter. */
async function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      const buffer = Buffer.from(chunk as Uint8Array)
      if (bytes < KEPT_ANSWER_BYTES) chunks.push(buffer)
      bytes += buffer.length
      if (bytes > READ_ANSWER_BYTES) break
    }
  } catch {
    // Cut off, or too slow.
  }
  const kept = Buffer.concat(chunks).subarray(0, KEPT_ANSWER_BYTES)
  // A character that is cut in two is left out, and PostgreSQL stores no NUL.
  const answer = new TextDecoder().decode(kept, { stream: true }).replaceAll('\0', '\u{FFFD}')
  return { status: response.statusCode ?? 0, answer }
}

function reasonOf(error: unknown): string {
  const text =
    error instanceof AggregateError ? error.errors.map(String).join(', ') : error instanceof Error ? error.message : String(error)
  return text.replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH)
}

import { ApiError, isPassing } from './api-error.ts'
import { hasCode } from './refusals.ts'

const RETRY_MS = 1_000

/**
 * Repeats a call until the server has accepted or refused it, no sooner than the server asks. Only for calls that are safe to repeat.
 *
 * @param forMilliseconds how long to keep trying
 * @throws the error of the last attempt, or the first one that does not pass by itself
 */
export async function retryPassing<Reply>(attempt: () => Promise<Reply>, forMilliseconds: number): Promise<Reply> {
  const deadline = Date.now() + forMilliseconds
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const wait = Math.max(RETRY_MS, retryAfterMillis(error))
      if (!isPassing(error) || isPause(error) || Date.now() + wait > deadline) throw error
      await pause(wait)
    }
  }
}

function retryAfterMillis(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0
}

/** A pause does not end soon enough. */
function isPause(error: unknown): boolean {
  return hasCode(error, 'PAUSED')
}

/** A key for a call that must not be carried out twice: 128 random bits. `crypto.randomUUID` exists in secure contexts only. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

/**
 * Waits.
 *
 * @throws the signal's reason as soon as it is aborted
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(signal?.reason as Error)
      signal?.addEventListener('abort', stop)
      timer = setTimeout(resolve, milliseconds)
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

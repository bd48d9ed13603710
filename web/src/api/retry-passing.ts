import { ApiError, isPassing } from './api-error.ts'
import { pause } from './pause.ts'

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
  return error instanceof ApiError && error.code === 'PAUSED'
}

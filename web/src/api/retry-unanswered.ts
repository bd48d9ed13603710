import { isUnanswered } from './api-error.ts'

const RETRY_MS = 1_000

/**
 * Repeats a call until the server answers it. Only for calls that are safe to repeat.
 *
 * @param forMilliseconds how long to keep trying
 * @throws the error of the last attempt, or the first error that is an answer
 */
export async function retryUnanswered<Reply>(attempt: () => Promise<Reply>, forMilliseconds: number): Promise<Reply> {
  const deadline = Date.now() + forMilliseconds
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isUnanswered(error) || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

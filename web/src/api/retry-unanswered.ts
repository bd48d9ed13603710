import { isUnanswered } from './api-error.ts'

const ASK_AGAIN_MS = 1_000

/**
 * Makes a call again for as long as no answer to it comes, at most for so many milliseconds; then throws like its last try. For calls
 * that the server takes for the same when they come twice.
 */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>, milliseconds: number): Promise<Answer> {
  const until = Date.now() + milliseconds
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isUnanswered(error) || Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }
}

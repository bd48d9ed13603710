import { type Outcome } from '../../outgoing/post-message.ts'

/** `gone`: the browser takes none any more. `refused`: not this one, and never will. */
export type AfterPush = 'sent' | 'gone' | 'refused' | 'retry'

/** The push service knows no such subscription (any more): RFC 8030, section 7.3. */
const gone = new Set([404, 410])
/** Too early, too many, or for lack of time. */
const passing = new Set([408, 425, 429])

/** What follows from the answer of a push service. A redirect, which is not followed, is a refusal. */
export function afterPush({ status }: Pick<Outcome, 'status'>): AfterPush {
  if (status === null || status >= 500 || passing.has(status)) return 'retry'
  if (status >= 200 && status < 300) return 'sent'
  return gone.has(status) ? 'gone' : 'refused'
}

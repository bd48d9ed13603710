import { type Outcome } from '../../outgoing/post-message.ts'

/** `gone`: the browser no longer takes any. `refused`: this one is refused for good. */
export type AfterPush = 'sent' | 'gone' | 'refused' | 'retry'

/** The push service knows no such subscription (any more): RFC 8030, section 7.3. */
const gone = new Set([404, 410])
/** Too early, too many requests, or a time-out. */
const passing = new Set([408, 425, 429])

/** The consequence of a push service's answer. Redirects are not followed and count as refusals. */
export function afterPush({ status }: Pick<Outcome, 'status'>): AfterPush {
  if (status === null || status >= 500 || passing.has(status)) return 'retry'
  if (status >= 200 && status < 300) return 'sent'
  return gone.has(status) ? 'gone' : 'refused'
}

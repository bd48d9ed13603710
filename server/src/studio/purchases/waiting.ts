import { waitOfCase } from '../../purchases/cases/case.ts'
import { waitOf } from '../../purchases/purchase-wait.ts'
import { type PurchaseHistory } from './history.ts'

/**
 * What a purchase is waiting for, in one sentence; null if nothing.
 * @param earlierChain it was made on a local chain that has been restarted since
 */
export function waitingForOf(history: PurchaseHistory, earlierChain: boolean): string | null {
  const open = history.cases.find((each) => waitOfCase(each) !== null)
  if (history.status !== 'held' && open) return sentence(waitOfCase(open) ?? '', secondsSince(history, open.openedAt))
  if (earlierChain) return null
  const payment = history.payments.find(({ kind, status }) => kind === 'purchase' && status === 'recorded')
  const wait = waitOf(history, { now: history.now, payUntil: history.payUntil, payment })
  if (!wait) return null
  const isSending = payment !== undefined && payment.confirmedAt === null && history.reconciledAt !== null
  const looked = isSending
    ? `; the server looked ${duration(secondsSince(history, history.reconciledAt ?? history.now))} ago, and sends it again`
    : ''
  return sentence(wait.waitingFor, secondsSince(history, wait.since), looked)
}

function secondsSince({ now }: PurchaseHistory, time: Date): number {
  return Math.max(0, Math.round((now.getTime() - time.getTime()) / 1000))
}

function sentence(waitingFor: string, seconds: number, more = ''): string {
  return `It has waited for ${waitingFor} for ${duration(seconds)}${more}.`
}

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
]

function duration(seconds: number): string {
  const unit = units.find((each) => seconds >= 2 * each.seconds)
  return unit ? `${Math.floor(seconds / unit.seconds)} ${unit.name}` : `${seconds} s`
}

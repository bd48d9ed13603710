/**
 * What can go wrong with one RPC call. dropped: the connection breaks before the chain gets the call. delayed: the answer is slow.
 * rateLimited: status 429. failed: status 5xx. lostReply: the chain executes the call and the connection breaks before the answer.
 * stale: an RPC node answers that is behind. callerKilled: the server is killed before the chain gets its call. callerKilledAfter: it is
 * killed when the chain has executed it.
 */
export const callFaults = [
  'dropped',
  'delayed',
  'rateLimited',
  'failed',
  'lostReply',
  'stale',
  'callerKilled',
  'callerKilledAfter',
] as const
/**
 * What can go wrong with a transaction that was confirmed. vanished: the chain hides it for a while before it is final.
 * rolledBack: the chain hides it for ever and does not accept it again.
 */
export const transactionFaults = ['vanished', 'rolledBack'] as const

export type CallFault = (typeof callFaults)[number]
export type TransactionFault = (typeof transactionFaults)[number]
export type FaultCounts = Record<CallFault | TransactionFault | 'stalled', number>
type CallRates = Partial<Record<CallFault, number>>

export interface FaultRates {
  /** The probability of each fault for a call of any method. Their sum is at most 1. */
  calls: CallRates
  /** Other probabilities for some methods. */
  methods?: Record<string, CallRates>
  /** The probability of each fault for a transaction when it is first seen confirmed. */
  transactions: Partial<Record<TransactionFault, number>>
}

export const noFaults: FaultRates = { calls: {}, transactions: {} }

export function countNoFaults(): FaultCounts {
  const calls = { dropped: 0, delayed: 0, rateLimited: 0, failed: 0, lostReply: 0, stale: 0, callerKilled: 0, callerKilledAfter: 0 }
  return { ...calls, vanished: 0, rolledBack: 0, stalled: 0 }
}

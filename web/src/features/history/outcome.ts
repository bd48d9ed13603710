import { type EndReason, type Purchase } from '@juicebar/contract/schemas'

const endLabels: Record<EndReason, string> = {
  cancelled: 'Cancelled, nothing paid',
  lapsed: 'Time ran out, nothing paid',
  expired: 'Payment never landed, nothing paid',
  failed: 'Payment failed, nothing paid',
  chain_gone: 'Ended with the earlier local chain',
  released: 'Released by the studio',
}

/** The outcome of a purchase, or what it is waiting for. */
export function outcome({ status, endReason, coSigned, waitsForStudio, releaseReason, earlierChain, finalized }: Purchase): string {
  const chain = earlierChain ? ', on an earlier local chain' : ''
  if (status === 'settled') return `Delivered${finalized ? '' : ', not final yet'}${chain}`
  if (status === 'held' && waitsForStudio) return 'Waiting for the studio'
  if (status === 'held') return coSigned ? 'Payment under way' : 'Waiting for the payment'
  if (endReason === 'released') return `${endLabels.released}: ${releaseReason ?? ''}${chain}`
  return (endReason ? endLabels[endReason] : 'Ended without delivery') + chain
}

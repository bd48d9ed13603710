import { type Purchase } from '@juicebar/contract/schemas'

/** What to tell the buyer of a purchase that ended without delivery: whether SOL moved, and what to do. */
export function endedText(purchase: Purchase): string {
  switch (purchase.endReason) {
    case 'cancelled':
      return 'You cancelled this purchase. No SOL moved.'
    case 'lapsed':
      return 'The time to pay ran out. No SOL moved; do not approve the payment now.'
    case 'expired':
      return 'The network did not take your payment in time, and it can no longer land. No SOL moved. You can buy again.'
    case 'failed':
      return 'The network carried out your payment without effect. No SOL moved but the network fee. You can buy again.'
    case 'chain_gone':
      return 'The local chain was restarted, so this purchase ended. No SOL moved on the current chain.'
    case 'released':
      return `The studio released this listing: ${purchase.releaseReason ?? ''} If you paid for it after all, your payment is still found, and then delivered, or shown in the market under Needs attention.`
    default:
      return 'This purchase ended without delivery. Your history shows what became of the payment.'
  }
}

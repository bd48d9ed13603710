import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { keys, refreshMarket, reload } from '../../../api/queries.ts'
import { useNotices } from '../../../feedback/notices.ts'
import { failureText } from '../flow/failure-text.ts'
import { dropOpenPurchase, followPurchase, tellOutcome } from '../flow/follow-purchase.ts'
import { isPurchaseOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'

/**
 * Follows payments that were made before a reload or in another tab, and shows each outcome once.
 *
 * @param open undefined until the open purchases are loaded
 * @param running the order that this tab carries out itself
 */
export function useResumePurchases(open: readonly Purchase[] | undefined, running: Order | undefined): void {
  const client = useQueryClient()
  const notices = useNotices()
  const { mutate: resume } = useMutation({
    mutationFn: ({ purchaseId, listingId, signature, coSigned }: PaidPurchase) =>
      followPurchase({ purchaseId, listingId, signature, coSigned, onChange: () => reload(keys.openPurchases) }),
    onSuccess: async (purchase) => {
      tellOutcome(purchase, notices)
      await dropOpenPurchase(client, purchase.purchaseId)
    },
    onError: (error) => notices.showBanner(failureText(error, { sent: true })),
    onSettled: refreshMarket,
  })
  useEffect(() => {
    if (open) takeUnfollowed(open, running).forEach((purchase) => resume(purchase))
  }, [open, running, resume])
}

/** A purchase whose payment was recorded or found. */
type PaidPurchase = Purchase & { signature: string }

/** The payments that this tab follows although it did not start them: their signatures by purchase. */
const resumed = new Map<string, string>()

/**
 * A wallet's paid open purchases that this tab does not follow yet; from now on it does. A purchase that is no longer open is forgotten,
 * and one that is paid again because its first payment failed for good is followed again.
 *
 * @param running the order that this tab carries out itself
 */
export function takeUnfollowed(open: readonly Purchase[], running: Order | undefined): PaidPurchase[] {
  for (const id of resumed.keys()) if (!open.some(({ purchaseId }) => purchaseId === id)) resumed.delete(id)
  return open.filter((purchase): purchase is PaidPurchase => {
    const { purchaseId, signature } = purchase
    if (signature === null || (running && isPurchaseOf(running, purchase)) || resumed.get(purchaseId) === signature) return false
    resumed.set(purchaseId, signature)
    return true
  })
}

import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { keys } from '../../../api/queries.ts'
import { refreshMarket, reload } from '../../../api/refresh-market.ts'
import { useNotices } from '../../../feedback/use-notices.ts'
import { dropOpenPurchase } from '../drop-open-purchase.ts'
import { failureText } from '../flow/failure-text.ts'
import { followPurchase } from '../flow/follow-purchase.ts'
import { tellOutcome } from '../flow/tell-outcome.ts'
import { type Order } from '../order/order.ts'
import { type PaidPurchase, takeUnfollowed } from './resumed-purchases.ts'

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

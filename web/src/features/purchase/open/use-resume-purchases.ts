import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'

import { errorSentence } from '../../../api/api-error.ts'
import { keys } from '../../../api/queries.ts'
import { refreshMarket, reload } from '../../../api/refresh-market.ts'
import { useNotices } from '../../../feedback/use-notices.ts'
import { followPurchase } from '../flow/follow-purchase.ts'
import { useOutcome } from '../use-outcome.ts'

/** Purchases whose outcome this tab tells, or has told. */
const resumed = new Set<string>()

/** Follows payments that were made before a reload or in another tab, and tells once what became of each. */
export function useResumePurchases(purchases: readonly Purchase[]): void {
  const { showBanner } = useNotices()
  const tellOutcome = useOutcome()
  const { mutate: resume } = useMutation({
    mutationFn: ({ purchaseId, listingId, signature }: Purchase & { signature: string }) =>
      followPurchase({ purchaseId, listingId, signature, onChange: () => reload(keys.openPurchases) }),
    onSuccess: tellOutcome,
    onError: (error) => showBanner(errorSentence(error, messages.purchaseFailed)),
    onSettled: refreshMarket,
  })
  useEffect(() => {
    for (const { signature, ...purchase } of purchases) {
      if (!signature || resumed.has(purchase.purchaseId)) continue
      resumed.add(purchase.purchaseId)
      resume({ ...purchase, signature })
    }
  }, [purchases, resume])
}

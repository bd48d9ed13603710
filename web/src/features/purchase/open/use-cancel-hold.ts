import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { errorSentence } from '../../../api/api-error.ts'
import { refreshMarket } from '../../../api/refresh-market.ts'
import { useNotices } from '../../../feedback/use-notices.ts'
import { cancelHold } from '../flow/cancel-hold.ts'
import { endedText } from '../purchase.ts'

/** Cancels a hold that is not paid, by the id of its purchase; a failure goes to the banner. */
export function useCancelHold() {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    mutationFn: cancelHold,
    onSuccess: (purchase) => showToast(endedText(purchase)),
    onError: (error) => showBanner(errorSentence(error, messages.purchaseFailed)),
    onSettled: refreshMarket,
  })
}

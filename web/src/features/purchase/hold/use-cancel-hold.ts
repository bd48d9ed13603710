import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { asSentence, errorSentence, isUnexplained } from '../../../api/api-error.ts'
import { refreshMarket } from '../../../api/refresh-market.ts'
import { useNotices } from '../../../feedback/use-notices.ts'
import { cancelHold } from './cancel-hold.ts'
import { endedText } from '../order/ended-text.ts'

const CANCELLING = 'Cancelled. The listing is free again once the network shows that nothing was paid.'

/** Cancels a hold that is not paid, by the id of its purchase; a failure goes to the banner. */
export function useCancelHold() {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    mutationFn: cancelHold,
    onSuccess: (purchase) => showToast(purchase.status === 'held' ? CANCELLING : endedText(purchase)),
    onError: (error) => {
      const text = errorSentence(error, messages.purchaseFailed)
      showBanner(
        isUnexplained(error) ? `${asSentence(text)} Cancelling moves no SOL. If the purchase is still shown, cancel it again.` : text,
      )
    },
    onSettled: refreshMarket,
  })
}

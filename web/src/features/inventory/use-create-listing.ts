import { type Body } from '@juicebar/contract/calls'
import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'

/** Puts drinks up for sale; a failure goes to the banner. */
export function useCreateListing() {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    meta: { processing: 'Putting your lot on the market' },
    mutationFn: (body: Body<'createListing'>) => call('createListing', { body }),
    onSuccess: () => showToast(messages.listingCreated, 'good'),
    onError: (error) => showBanner(serverSentence(error, messages.createFailed)),
    onSettled: refreshMarket,
  })
}

import { messages } from '@juicebar/contract/messages'
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { myListingsQuery } from '../../api/queries.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'

/** Takes one of the seller's listings off the market, by its id; a failure goes to the banner. */
export function useRemoveListing() {
  const client = useQueryClient()
  const { showBanner, showToast } = useNotices()
  return useMutation({
    meta: { processing: 'Taking your listing off the market' },
    mutationFn: (id: string) => call('removeListing', { params: { id } }),
    onSuccess: ({ listing: removed }) => {
      showToast(messages.listingRemoved, 'good')
      // The row disappears at once, so that the focus does not return to a button that is about to disappear.
      client.setQueryData(myListingsQuery('active').queryKey, (listings) => listings?.filter(({ _id }) => _id !== removed._id))
      client.setQueryData(myListingsQuery('all').queryKey, (listings) =>
        listings?.map((listing) => (listing._id === removed._id ? { ...listing, ...removed } : listing)),
      )
    },
    onError: (error) => showBanner(serverSentence(error, messages.removeFailed)),
    onSettled: refreshMarket,
  })
}

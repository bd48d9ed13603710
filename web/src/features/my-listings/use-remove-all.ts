import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'

/** Takes all of the seller's listings off the market that nobody is buying; a failure goes to the banner. */
export function useRemoveAll() {
  const { showBanner } = useNotices()
  return useMutation({
    meta: { processing: 'Taking your listings off the market' },
    mutationFn: () => call('removeListings', { query: { status: 'active' } }),
    onError: (error) => showBanner(serverSentence(error, messages.removeFailed)),
    onSettled: refreshMarket,
  })
}

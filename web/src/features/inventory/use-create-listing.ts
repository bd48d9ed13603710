import { type Body } from '@juicebar/contract/calls'
import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { ApiError, serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { retryPassing } from '../../api/retry-passing.ts'
import { useNotices } from '../../feedback/use-notices.ts'

/** How long to retry without asking the seller, in milliseconds: as long as a planned fail-over of the database takes. */
const PATIENCE_MS = 10_000

interface Offer {
  body: Body<'createListing'>
  /** The same for every attempt at this offer, so that it is listed once. */
  idempotencyKey: string
}

/** True if a rule of the studio does not allow the offer; another offer may be allowed. */
export function isRuleBroken(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'RULE_BROKEN'
}

/** Puts drinks up for sale; a failure goes to the banner, except for a broken rule, which is shown beside the offer. */
export function useCreateListing() {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    meta: { processing: 'Putting your listing on the market' },
    mutationFn: ({ body, idempotencyKey }: Offer) =>
      retryPassing(() => call('createListing', { headers: { 'idempotency-key': idempotencyKey }, body }), PATIENCE_MS),
    onSuccess: () => showToast(messages.listingCreated, 'good'),
    onError: (error) => isRuleBroken(error) || showBanner(serverSentence(error, messages.createFailed)),
    onSettled: refreshMarket,
  })
}

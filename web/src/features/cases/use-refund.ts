import { type Case } from '@juicebar/contract/schemas'
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'

import { errorSentence } from '../../api/api-error.ts'
import { configQuery } from '../../api/queries.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { useNow } from '../../ui/use-now.ts'
import { MAY_LAND_MS, refundCase, type RefundOutcome } from './refund-case.ts'

interface Refund {
  refund: () => void
  /** The refund may be on its way without the server knowing of it. */
  mayLand: boolean
}

/** The refund of one case; a failure goes to the banner. */
export function useRefund(subject: Case): Refund {
  const client = useQueryClient()
  const { showBanner, showToast } = useNotices()
  const mutationKey = ['refund', subject.caseId]
  const { mutate } = useMutation({
    mutationKey,
    gcTime: MAY_LAND_MS,
    meta: { processing: 'Approve the refund in your wallet' },
    mutationFn: async () => refundCase(subject, await client.ensureQueryData(configQuery)),
    onSuccess: ({ warning }) => {
      if (warning) showBanner(warning)
      else showToast('The refund is on its way. The case closes when the network has finalized it.', 'good')
    },
    onError: (error) => showBanner(errorSentence(error, 'The refund failed')),
    onSettled: refreshMarket,
  })
  // Read from the mutation cache, so that it outlives this component, for example during a logout.
  const outcomes = useMutationState({ filters: { mutationKey }, select: ({ state }) => state.data as RefundOutcome | undefined })
  const now = useNow()
  return { refund: () => mutate(), mayLand: outcomes.some((outcome) => outcome?.mayLandUntil !== undefined && outcome.mayLandUntil > now) }
}

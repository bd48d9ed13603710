import { useMutation } from '@tanstack/react-query'

import { errorSentence } from '../../api/api-error.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { addTestSol } from './add-test-sol.ts'

/** Adds test SOL to a wallet of the local chain, and says when it is there; a failure goes to the banner. */
export function useAddTestSol(walletAddress: string) {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    mutationFn: async (_notice: { success: string }) => addTestSol(walletAddress),
    onSuccess: (_, { success }) => showToast(success, 'good'),
    onError: (error) => showBanner(errorSentence(error, 'The local chain sent no test SOL.')),
  })
}

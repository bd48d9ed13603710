import { errorSentence } from '../../api/api-error.ts'
import { requestTestSol } from '../../api/chain.ts'
import { queryClient } from '../../api/query-client.ts'
import { solQuery } from '../../api/queries.ts'
import { showBanner, showToast } from '../../feedback/notices.ts'

const ASK_EVERY_MS = 500
const MOST_QUESTIONS = 20

/** Brings test SOL of the local chain to a wallet and shows it; a failure goes to the banner. */
export async function addTestSol(walletAddress: string, success = 'Test SOL has arrived.'): Promise<void> {
  const query = solQuery(walletAddress)
  const before = queryClient.getQueryData(query.queryKey)
  try {
    await requestTestSol(walletAddress)
    for (let question = 0; question < MOST_QUESTIONS; question++) {
      const now = await queryClient.fetchQuery({ ...query, staleTime: 0 })
      if (now !== before) break
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
    }
    showToast(success, 'good')
  } catch (error) {
    showBanner(errorSentence(error, 'The local chain gave no test SOL.'))
  }
}

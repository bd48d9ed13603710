import { requestTestSol, solQuery } from '../../api/chain.ts'
import { pause } from '../../api/pause.ts'
import { queryClient } from '../../api/query-client.ts'

const POLL_MS = 500
const MAX_POLLS = 20

/**
 * Requests test SOL from the local chain, and waits until the balance on the screen shows it.
 *
 * @throws ApiError
 */
export async function addTestSol(walletAddress: string): Promise<void> {
  const query = solQuery(walletAddress)
  const before = queryClient.getQueryData(query.queryKey)
  await requestTestSol(walletAddress)
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const now = await queryClient.fetchQuery({ ...query, staleTime: 0 })
    if (now !== before) return
    await pause(POLL_MS)
  }
}

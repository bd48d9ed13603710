import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { errorSentence } from '../../api/api-error.ts'
import { requestTestSol, solQuery } from '../../api/chain.ts'
import { pause } from '../../api/retry-passing.ts'
import { queryClient } from '../../api/query-client.ts'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'

/** Adds test SOL to the Demo Wallet: automatically when it is empty, and on request. */
export function TestSolButton({ walletAddress }: { walletAddress: string }) {
  const { mutate: addTestSol, isPending } = useAddTestSol(walletAddress)
  useTopUp(walletAddress)
  return (
    <Button
      small
      className="max-sm:px-3"
      disabled={isPending}
      onClick={() => {
        dismissBanner()
        addTestSol({ success: 'Test SOL has arrived.' })
      }}
      title="Adds 5 test SOL from the local chain, which forgets all SOL when it restarts"
    >
      +<span className="max-sm:sr-only"> Test SOL</span>
    </Button>
  )
}

/**
 * Tops up an empty Demo Wallet automatically, because the local chain forgets all SOL when it restarts. Tries once each time it runs empty.
 */
function useTopUp(walletAddress: string): void {
  const { data: lamports } = useQuery(solQuery(walletAddress))
  const { mutate: addTestSol } = useAddTestSol(walletAddress)
  const tried = useRef(false)
  useEffect(() => {
    if (lamports !== undefined && lamports > 0n) tried.current = false
    if (lamports !== 0n || tried.current) return
    tried.current = true
    addTestSol({ success: 'Your Demo Wallet got test SOL. The local chain forgets all SOL when it restarts.' })
  }, [lamports, addTestSol])
}

/** Adds test SOL to a wallet of the local chain, and says when it is there; a failure goes to the banner. */
function useAddTestSol(walletAddress: string) {
  return useMutation({
    mutationFn: async (_notice: { success: string }) => addTestSol(walletAddress),
    onSuccess: (_, { success }) => showToast(success, 'good'),
    onError: (error) => showBanner(errorSentence(error, 'The local chain sent no test SOL.')),
  })
}

const POLL_MS = 500
const MAX_POLLS = 20

/**
 * Requests test SOL from the local chain, and waits until the balance on the screen shows it.
 *
 * @throws ApiError
 */
async function addTestSol(walletAddress: string): Promise<void> {
  const query = solQuery(walletAddress)
  const before = queryClient.getQueryData(query.queryKey)
  await requestTestSol(walletAddress)
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const now = await queryClient.fetchQuery({ ...query, staleTime: 0 })
    if (now !== before) return
    await pause(POLL_MS)
  }
}

import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { solQuery } from '../../api/queries.ts'
import { addTestSol } from './add-test-sol.ts'

/** Fills an empty Demo Wallet by itself: the local chain forgets all SOL when it restarts. Tried once for each time it runs empty. */
export function useDemoTopUp(walletAddress: string): void {
  const { data } = useQuery(solQuery(walletAddress))
  const tried = useRef(false)
  useEffect(() => {
    if (data !== undefined && data > 0n) tried.current = false
    if (data !== 0n || tried.current) return
    tried.current = true
    addTestSol(walletAddress, 'Your Demo Wallet got test SOL. The local chain forgets all SOL when it restarts.').catch(() => undefined)
  }, [walletAddress, data])
}

import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { solQuery } from '../../api/chain.ts'
import { useAddTestSol } from './use-add-test-sol.ts'

/**
 * Tops up an empty Demo Wallet automatically, because the local chain forgets all SOL when it restarts. Tries once each time it runs empty.
 */
export function useTopUp(walletAddress: string): void {
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

import { useMutation } from '@tanstack/react-query'
import { useCallback } from 'react'

import { useNotices } from '../feedback/use-notices.ts'
import { MOBILE_WALLET } from './wallet.ts'
import { closePicker, connectWallet, openPicker, showMobileProblem, useWallet } from './wallet-store.ts'

interface Connect {
  /** Connects a wallet by its name. A failure goes to the banner, in the wallet's own words. */
  connect: (name: string) => void
  /** Connects the wallet chosen earlier, or opens the picker if there is none. */
  connectChosen: () => void
}

/** Ways to connect a wallet. */
export function useConnect(): Connect {
  const { showBanner } = useNotices()
  const { mutateAsync: reachPhone } = useMutation({
    meta: { processing: 'Tap “Allow” so that this page can reach your wallet' },
    mutationFn: async () => (await import('./mobile/request-local-network.ts')).requestLocalNetwork(),
  })
  const { mutate } = useMutation({
    mutationFn: async (name: string) => {
      const problem = name === MOBILE_WALLET ? await reachPhone() : undefined
      if (problem) showMobileProblem(problem)
      else await connectWallet(name)
    },
    onError: (error) => {
      // What the phone's own dialog says needs no banner.
      if (!useWallet.getState().mobileProblem) showBanner(`${error.message}.`)
    },
  })
  const connect = useCallback(
    (name: string) => {
      closePicker()
      mutate(name)
    },
    [mutate],
  )
  const connectChosen = useCallback(() => {
    const { chosen, present } = useWallet.getState()
    if (chosen && present.some((wallet) => wallet.name === chosen)) mutate(chosen)
    else openPicker()
  }, [mutate])
  return { connect, connectChosen }
}

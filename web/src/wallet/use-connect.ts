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
  const start = useCallback(
    (name: string) => {
      connectOrExplain(name).catch((error: Error) => {
        // Problems shown in the phone's own dialog need no banner.
        if (!useWallet.getState().mobileProblem) showBanner(`${error.message}.`)
      })
    },
    [showBanner],
  )
  const connect = useCallback(
    (name: string) => {
      closePicker()
      start(name)
    },
    [start],
  )
  const connectChosen = useCallback(() => {
    const { chosen, present } = useWallet.getState()
    if (chosen && present.some((wallet) => wallet.name === chosen)) start(chosen)
    else openPicker()
  }, [start])
  return { connect, connectChosen }
}

/**
 * Connects a wallet, or opens the dialog that says why one on this phone cannot be reached.
 *
 * @throws WalletError
 */
async function connectOrExplain(name: string): Promise<void> {
  const problem = name === MOBILE_WALLET ? await (await import('./mobile/request-local-network.ts')).requestLocalNetwork() : undefined
  if (problem) showMobileProblem(problem)
  else await connectWallet(name)
}

import { useEffect } from 'react'

import { errorSentence } from '../api/api-error.ts'
import { sayMissing } from '../feedback/crash-screen.tsx'
import { dismissBanner, showBanner } from '../feedback/notices.ts'
import {
  awaitWallet,
  closePicker,
  type Connection,
  connectWallet,
  isPresent,
  openPickerFor,
  showMobileProblem,
  useWallet,
  watchWallets,
} from './wallet-store.ts'
import { MOBILE_WALLET, offeredNames } from './wallet.ts'

/** Connects a wallet by its name. A failure goes to the banner, in the wallet's own words. */
export function connect(name: string): void {
  closePicker()
  start(name)
}

/** Connects the wallet chosen earlier, or opens the picker if there is none, or this browser no longer has it. */
export function connectChosen(): void {
  connectChosenAnd(() => {})
}

/** The same. Once the wallet chosen earlier is connected, it goes on with `then`. `wanted`: the listing that it is about. */
export function connectChosenAnd(then: (connection: Connection) => void, wanted?: string): void {
  const { chosen } = useWallet.getState()
  if (!chosen) openPickerFor(wanted)
  // Not awaited if it is present: a wallet may open its window only in the moment of the person's click.
  else if (isPresent(chosen)) start(chosen, then)
  else void awaitWallet(chosen).then((present) => (present ? start(chosen, then) : openPickerFor(wanted)))
}

function start(name: string, then?: (connection: Connection) => void): void {
  dismissBanner()
  connectOrExplain(name).then(
    () => {
      const { connected } = useWallet.getState()
      if (connected) then?.(connected)
    },
    (error: unknown) => {
      // Problems shown in the phone's own dialog need no banner.
      if (useWallet.getState().mobileProblem) return
      const said = errorSentence(error, '')
      if (said) showBanner(`${said}.`)
      else sayMissing()
    },
  )
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

/** Watches for the wallets of this browser that the market works with. */
export function useWallets({ demoWallet }: { demoWallet: boolean }): void {
  useEffect(() => watchWallets(offeredNames({ demoWallet })), [demoWallet])
}

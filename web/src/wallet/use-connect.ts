import { showBanner } from '../feedback/notices.ts'
import { whileProcessing } from '../feedback/use-processing.ts'
import { mobileProblem } from './mobile/mobile-problem.ts'
import { MOBILE_WALLET } from './wallet.ts'
import { connectWallet, disconnectWallet, pickerOpen, walletState } from './wallet-store.ts'

async function mayReachPhone(): Promise<boolean> {
  return (await import('./mobile/request-local-network.ts')).mayReachPhone()
}

/** Connects a wallet at the user's wish; a failure goes to the banner in the wallet's own words. */
export async function connect(name: string): Promise<void> {
  pickerOpen.set(false)
  try {
    if (name === MOBILE_WALLET && !(await whileProcessing('Tap “Allow” so that this page can reach your wallet', mayReachPhone))) return
    await connectWallet(name)
  } catch (error) {
    // What the phone's own dialog says already needs no banner.
    if (!mobileProblem.get()) showBanner(error instanceof Error ? `${error.message}.` : String(error))
  }
}

/** Connects the wallet chosen earlier, or opens the picker where that is not possible. */
export function connectChosen(): void {
  const { chosen, present } = walletState.get()
  if (chosen && present.some((wallet) => wallet.name === chosen)) connect(chosen).catch(() => undefined)
  else pickerOpen.set(true)
}

export function disconnect(): void {
  disconnectWallet().catch(() => undefined)
}

import { showBanner } from '../ui/notices.ts'
import { connectWallet, disconnectWallet, pickerOpen, walletState } from './wallet-store.ts'

/** Connects a wallet at the user's wish; a failure goes to the banner in the wallet's own words. */
export async function connect(name: string): Promise<void> {
  pickerOpen.set(false)
  try {
    await connectWallet(name)
  } catch (error) {
    showBanner(error instanceof Error ? `${error.message}.` : String(error))
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

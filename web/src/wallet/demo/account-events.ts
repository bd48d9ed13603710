import { type WalletAccount } from '@wallet-standard/base'
import { type StandardEventsListeners, type StandardEventsOnMethod } from '@wallet-standard/features'
import { guard } from '@wallet-standard/wallet'

interface AccountEvents {
  accounts: () => readonly WalletAccount[]
  change: (next: readonly WalletAccount[]) => void
  on: StandardEventsOnMethod
}

/** The accounts that a wallet shares with this page, and the listeners for their changes. */
export function createAccountEvents(): AccountEvents {
  const listeners = new Set<{ listener: StandardEventsListeners['change'] }>()
  let accounts: readonly WalletAccount[] = Object.freeze([])
  return {
    accounts: () => accounts,
    change(next) {
      if (next.length === accounts.length && next.every((account, index) => account === accounts[index])) return
      accounts = Object.freeze([...next])
      // An error in one listener must not stop the others.
      for (const { listener } of listeners) guard(() => listener(Object.freeze({ accounts })))
    },
    on(event, listener) {
      // Wallets may support further events; this one does not.
      if (event !== 'change') return () => {}
      const entry = { listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  }
}

import { WalletError } from './wallet-error.ts'
import { type Connection, useWallet } from './wallet-store.ts'

/** @throws WalletError if no wallet is connected */
export function requireConnection(): Connection {
  const { connected } = useWallet.getState()
  if (!connected) throw new WalletError('missing')
  return connected
}

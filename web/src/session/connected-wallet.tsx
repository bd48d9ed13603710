import { useWallet } from '../wallet/wallet-store.ts'
import { ConnectedButton, Picker, type WalletButtonProps } from './wallet-button.tsx'

/** The wallet button of a page that asks for a wallet itself: there is nothing until one is connected. */
export function ConnectedWallet(market: WalletButtonProps) {
  const connected = useWallet((wallet) => wallet.connected)
  return (
    <>
      {connected && <ConnectedButton connected={connected} />}
      <Picker {...market} />
    </>
  )
}

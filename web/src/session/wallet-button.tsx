import { CrashScreen, PartOnTop, sayMissing } from '../feedback/crash-screen.tsx'
import { shortAddress } from '../ui/format.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Part } from '../ui/part.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useRetained } from '../ui/use-retained.ts'
import { connectChosen } from '../wallet/connect.ts'
import { type ButtonState, buttonState, closePicker, type Connection, openPicker, useWallet } from '../wallet/wallet-store.ts'

const WalletMenu = lazyComponent(async () => (await import('./wallet-menu.tsx')).WalletMenu)
const WalletPicker = lazyComponent(async () => (await import('../wallet/wallet-picker.tsx')).WalletPicker)

const labels: Record<Exclude<ButtonState, 'connected'>, string> = {
  'no-wallet': 'Select Wallet',
  'has-wallet': 'Connect',
  connecting: 'Connecting ...',
  disconnecting: 'Disconnect',
}

export interface WalletButtonProps {
  localChain: boolean
  demoWallet: boolean
}

/** The header's wallet button: chooses, connects, and shows the connected address with its menu. */
export function WalletButton(market: WalletButtonProps) {
  const wallet = useWallet()
  const state = buttonState(wallet)
  return (
    <>
      {wallet.connected && state === 'connected' ? (
        <ConnectedButton connected={wallet.connected} />
      ) : (
        <PlainButton state={state === 'connected' ? 'has-wallet' : state} />
      )}
      <Picker {...market} />
    </>
  )
}

/** The dialog in which a wallet is chosen, while it is open. */
export function Picker({ localChain, demoWallet }: WalletButtonProps) {
  const wanted = useWallet(({ pickerOpen }) => pickerOpen) || undefined
  const shown = useRetained(wanted)
  return (
    <PartOnTop wanted={wanted} onMissing={closePicker}>
      {shown && <WalletPicker localChain={localChain} demoWallet={demoWallet} />}
    </PartOnTop>
  )
}

function PlainButton({ state }: { state: keyof typeof labels }) {
  const busy = state === 'connecting' || state === 'disconnecting'
  return (
    <button
      type="button"
      className="button button-primary max-sm:px-3.5"
      disabled={busy}
      onClick={() => (state === 'has-wallet' ? connectChosen() : openPicker())}
    >
      {busy && <Spinner className="size-4" />}
      {labels[state]}
    </button>
  )
}

/** The address of the connected wallet, with its menu. */
export function ConnectedButton({ connected }: { connected: Connection }) {
  const { address } = connected.account
  const face = (
    <>
      <img src={connected.wallet.icon} alt="" width={20} height={20} className="size-5 rounded-md max-sm:hidden" />
      <span className="figures">{shortAddress(address)}</span>
    </>
  )
  const withoutMenu = (
    <button type="button" className="button" onClick={sayMissing}>
      {face}
    </button>
  )
  // While the menu may still come, a face would lose a press, so the button still says that it connects.
  return (
    <CrashScreen fallback={withoutMenu}>
      <Part fallback={<PlainButton state="connecting" />}>
        <WalletMenu address={address}>{face}</WalletMenu>
      </Part>
    </CrashScreen>
  )
}

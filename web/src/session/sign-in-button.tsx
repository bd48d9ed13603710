import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useStore } from '../ui/store.ts'
import { walletState } from '../wallet/wallet-store.ts'
import { session } from './session-store.ts'
import { signInWith } from './use-session-lifecycle.ts'

/** Asks the connected wallet for its signature again; shown after a refusal or a session that ended. */
export function SignInButton() {
  const { connected } = useStore(walletState)
  const { loading } = useStore(session)
  if (!connected) return null
  return (
    <Button kind="primary" disabled={loading} onClick={() => void signInWith(connected)}>
      {loading && <Spinner className="size-4" />}
      {loading ? 'Waiting for your signature' : 'Sign in'}
    </Button>
  )
}

import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useWallet } from '../wallet/wallet-store.ts'
import { useSession } from './session-store.ts'
import { useSignIn } from './use-sign-in.ts'

/** Asks the connected wallet for its signature again, after a refusal or the end of a session. */
export function SignInButton() {
  const connected = useWallet((wallet) => wallet.connected)
  const loading = useSession((session) => session.loading)
  const signIn = useSignIn()
  if (!connected) return null
  return (
    <Button kind="primary" disabled={loading} onClick={() => signIn(connected)}>
      {loading && <Spinner className="size-4" />}
      {loading ? 'Waiting for your signature' : 'Sign in'}
    </Button>
  )
}

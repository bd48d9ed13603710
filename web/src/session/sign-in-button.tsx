import { messages } from '@juicebar/contract/messages'

import { dismissBanner, showBanner } from '../feedback/notices.ts'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { type Connection, useWallet } from '../wallet/wallet-store.ts'
import { loginReason, useSession } from './session-store.ts'

/** Asks the connected wallet for its signature again, after a refusal or the end of a session. */
export function SignInButton() {
  const connected = useWallet((wallet) => wallet.connected)
  const loading = useSession((session) => session.loading)
  if (!connected) return null
  return (
    <Button kind="primary" disabled={loading} onClick={() => signInOrTell(connected)}>
      {loading && <Spinner className="size-4" />}
      {loading ? 'Waiting for your signature' : 'Sign in'}
    </Button>
  )
}

/** Signs in with a connected wallet; a failure goes to the banner. */
export function signInOrTell(connection: Connection): void {
  dismissBanner()
  import('./sign-in.ts')
    .then(({ signIn }) => signIn(connection))
    .catch((error: unknown) => showBanner(messages.loginFailed(loginReason(error))))
}

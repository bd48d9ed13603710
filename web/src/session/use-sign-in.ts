import { messages } from '@juicebar/contract/messages'
import { useCallback } from 'react'

import { useNotices } from '../feedback/use-notices.ts'
import { type Connection } from '../wallet/wallet-store.ts'
import { loginReason } from './login-reason.ts'

/** Signs in with a connected wallet; a failure goes to the banner. */
export function useSignIn(): (connection: Connection) => void {
  const { showBanner } = useNotices()
  return useCallback(
    (connection) => {
      import('./sign-in.ts')
        .then(({ signIn }) => signIn(connection))
        .catch((error: unknown) => showBanner(messages.loginFailed(loginReason(error))))
    },
    [showBanner],
  )
}

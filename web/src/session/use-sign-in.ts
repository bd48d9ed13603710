import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { useNotices } from '../feedback/use-notices.ts'
import { type Connection } from '../wallet/wallet-store.ts'
import { loginReason } from './login-reason.ts'

/** Signs in with a connected wallet; a failure goes to the banner. */
export function useSignIn() {
  const { showBanner } = useNotices()
  return useMutation({
    mutationFn: async (connection: Connection) => (await import('./sign-in.ts')).signIn(connection),
    onError: (error) => showBanner(messages.loginFailed(loginReason(error))),
  })
}

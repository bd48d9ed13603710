import { messages } from '@juicebar/contract/messages'
import { useMutation } from '@tanstack/react-query'

import { useNotices } from '../feedback/use-notices.ts'
import { loginReason, signIn } from './sign-in.ts'

/** Signs in with a connected wallet; a failure goes to the banner. */
export function useSignIn() {
  const { showBanner } = useNotices()
  return useMutation({ mutationFn: signIn, onError: (error) => showBanner(messages.loginFailed(loginReason(error))) })
}

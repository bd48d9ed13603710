import { serverSentence } from '../api/api-error.ts'
import { useNotices } from '../feedback/use-notices.ts'
import { logOutEverywhere } from './session-store.ts'

/** Signs the wallet out everywhere, and tells whether that worked. */
export function useSignOutEverywhere(): () => void {
  const { showToast } = useNotices()
  return () => {
    logOutEverywhere().then(
      () => showToast('You are signed out everywhere.', 'good'),
      (error: unknown) => {
        const reason = serverSentence(error, 'The market could not be reached. Please try again.')
        showToast(`You may still be signed in elsewhere. ${reason}`, 'bad')
      },
    )
  }
}

import { messages } from '@juicebar/contract/messages'
import { useEffect, useRef } from 'react'

import { isUnanswered } from '../api/api-error.ts'
import { showBanner } from '../feedback/notices.ts'
import { useWallet } from '../wallet/wallet-store.ts'
import { endForOtherAccount, logOut, restoreSession, type SessionState, useSession, watchSession } from './session-store.ts'
import { signInOrTell } from './sign-in-button.tsx'

/** Keeps the session in step with the server and the wallet (specification, section 4). */
export function useSessionLifecycle({ online }: { online: boolean }): void {
  const { authorization } = useSession()
  useEffect(() => watchSession((error) => showBanner(error.message)), [])
  useEffect(() => {
    if (online) restoreSession().catch((error: unknown) => isUnanswered(error) && showBanner(messages.loadFailed))
  }, [online])
  useEffect(() => forgetHint(authorization), [authorization])
  useSignInOnConnect(online)
  useLogOutOnDisconnect()
}

/** Until it is known who is signed in, `early.js` keeps what only visitors see from somebody who was signed in before. */
function forgetHint(authorization: SessionState['authorization']): void {
  if (authorization !== 'checking') delete document.documentElement.dataset['session']
}

/**
 * Asks for one signature per connection, unless it begins with a session. After a refusal, or the end of a session, it is the person who
 * tries again.
 */
function useSignInOnConnect(online: boolean): void {
  const connected = useWallet((wallet) => wallet.connected)
  const { authorization, user, loading } = useSession()
  const tried = useRef<number>(undefined)

  useEffect(() => {
    if (!connected || !online || authorization === 'checking') return
    if (authorization === 'signed-in') {
      if (user?.walletAddress !== connected.account.address) endForOtherAccount()
      else tried.current = connected.connection
      return
    }
    if (loading || tried.current === connected.connection) return
    tried.current = connected.connection
    signInOrTell(connected)
  }, [connected, online, authorization, user, loading])
}

function useLogOutOnDisconnect(): void {
  const connected = useWallet((wallet) => wallet.connected)
  const wasConnected = useRef(false)
  useEffect(() => {
    if (wasConnected.current && !connected && useSession.getState().authorization === 'signed-in') void logOut()
    wasConnected.current = connected !== undefined
  }, [connected])
}

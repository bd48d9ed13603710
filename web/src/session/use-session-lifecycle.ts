import { messages } from '@juicebar/contract/messages'
import { useEffect, useRef } from 'react'

import { isUnanswered } from '../api/api-error.ts'
import { showBanner } from '../feedback/notices.ts'
import { useStore } from '../ui/store.ts'
import { type Connection, walletState } from '../wallet/wallet-store.ts'
import { endForOtherAccount, loginReason, logOut, restoreSession, session, signIn, watchSession } from './session-store.ts'

/** Keeps the session in step with the server and the wallet (specification, section 4). `online`: the server has answered. */
export function useSession(online: boolean): void {
  useEffect(() => watchSession((error) => showBanner(error.message)), [])
  useEffect(() => {
    if (online) restoreSession().catch((error: unknown) => isUnanswered(error) && showBanner(messages.loadFailed))
  }, [online])
  useSignInOnConnect(online)
  useLogOutOnDisconnect()
}

/** Signs in at the user's wish; a failure goes to the banner. */
export async function signInWith(connection: Connection): Promise<void> {
  try {
    await signIn(connection)
  } catch (error) {
    showBanner(messages.loginFailed(loginReason(error)))
  }
}

/** Asks for one signature per connection; after a refusal it is the user who asks again. */
function useSignInOnConnect(online: boolean): void {
  const { connected } = useStore(walletState)
  const { authorization, user, loading } = useStore(session)
  const tried = useRef<number>(undefined)

  useEffect(() => {
    if (!connected || !online || authorization === 'checking') return
    if (authorization === 'signed-in') {
      if (user?.walletAddress !== connected.account.address) endForOtherAccount()
      return
    }
    if (loading || tried.current === connected.connection) return
    tried.current = connected.connection
    signInWith(connected).catch(() => undefined)
  }, [connected, online, authorization, user, loading])
}

function useLogOutOnDisconnect(): void {
  const { connected } = useStore(walletState)
  const wasConnected = useRef(false)
  useEffect(() => {
    if (wasConnected.current && !connected && session.get().authorization === 'signed-in') logOut().catch(() => undefined)
    wasConnected.current = connected !== undefined
  }, [connected])
}

import { messages } from '@juicebar/contract/messages'
import { useEffect, useRef } from 'react'

import { isPassing } from '../api/api-error.ts'
import { growingPause } from '../api/growing-pause.ts'
import { showBanner } from '../feedback/notices.ts'
import { useWallet } from '../wallet/wallet-store.ts'
import { endForOtherAccount, logOut, restoreSession, type SessionState, useSession, watchSession } from './session-store.ts'
import { signInOrTell } from './sign-in-button.tsx'

const FIRST_PAUSE_MS = 1_000

/** Keeps the session in step with the server and the wallet (specification, section 4). */
export function useSessionLifecycle({ online }: { online: boolean }): void {
  const { authorization } = useSession()
  useEffect(() => watchSession((error) => showBanner(error.message)), [])
  useEffect(() => {
    if (online) return restoreUntilAnswered()
    return undefined
  }, [online])
  useEffect(() => forgetHint(authorization), [authorization])
  useSignInOnConnect(online)
  useLogOutOnDisconnect()
}

/**
 * Asks again while the server cannot say who is signed in, at growing intervals. A refusal has its own listener.
 *
 * @returns a function that stops it
 */
function restoreUntilAnswered(): () => void {
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  const restore = () =>
    void restoreSession().catch((error: unknown) => {
      if (stopped || !isPassing(error)) return
      if (failures === 0) showBanner(messages.loadFailed)
      timer = setTimeout(restore, growingPause(failures++, FIRST_PAUSE_MS))
    })
  restore()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
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

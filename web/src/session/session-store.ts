import { type User } from '@juicebar/contract/schemas'
import { create } from 'zustand'

import { ApiError, errorSentence, serverSentence } from '../api/api-error.ts'
import { call, clearJwt, endSession, onJwtChangedElsewhere, onSessionRefused, readJwt } from '../api/client.ts'
import { keys } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { disconnectWallet, useWallet } from '../wallet/wallet-store.ts'

type Authorization = 'checking' | 'signed-out' | 'signed-in'

export interface SessionState {
  authorization: Authorization
  user: User | undefined
  /** A sign-in is under way: the wallet or the server is being asked. */
  loading: boolean
  /** Why the last sign-in failed. */
  error: string | undefined
}

export const signedOut: SessionState = { authorization: 'signed-out', user: undefined, loading: false, error: undefined }

/** Who is signed in, in this tab. */
export const useSession = create<SessionState>()(() => (readJwt() ? { ...signedOut, authorization: 'checking' } : signedOut))

/**
 * Restores the session from before a reload.
 *
 * @throws ApiError if the server could not be reached
 */
export async function restoreSession(): Promise<void> {
  const jwt = readJwt()
  if (!jwt) {
    if (useSession.getState().authorization !== 'signed-out') useSession.setState(signedOut)
    return
  }
  try {
    const { user } = await call('me', {})
    // Ended or replaced meanwhile, perhaps in another tab.
    if (readJwt() !== jwt) return await restoreSession()
    useSession.setState(isForeign(user) ? signedOut : { ...signedOut, authorization: 'signed-in', user })
  } catch (error) {
    if (readJwt() === jwt && useSession.getState().authorization === 'checking') useSession.setState(signedOut)
    throw error
  }
}

/** True if another tab signed in with a wallet other than the one connected here: this tab must neither use nor end that session. */
function isForeign(user: User): boolean {
  const { connected } = useWallet.getState()
  return connected !== undefined && connected.account.address !== user.walletAddress
}

/** Ends the session here and on the server, and disconnects the wallet. Never rejects. */
export async function logOut(): Promise<void> {
  await Promise.all([endHere(), useWallet.getState().connected ? disconnectWallet() : undefined])
}

/**
 * Ends all sessions of the wallet, wherever they are, and disconnects the wallet here.
 *
 * @throws ApiError if the server did not do it; then this browser stays signed in, so that it can be tried again
 */
export async function logOutEverywhere(): Promise<void> {
  await call('logoutEverywhere', {})
  forgetSession()
  if (useWallet.getState().connected) await disconnectWallet()
}

/** Ends the session because the wallet shows another account now; the wallet stays connected. */
export function endForOtherAccount(): void {
  void endHere()
}

/** Never rejects: the JWT leaves this browser in any case, and the server lets it expire. */
async function endHere(): Promise<void> {
  const jwt = readJwt()
  forgetSession()
  if (!jwt) return
  // First the event stream of this session is closed. If it is only being opened, the server would refuse it as signed out.
  await new Promise((closed) => setTimeout(closed))
  await endSession(jwt).catch(() => undefined)
}

/**
 * Follows sessions that end or begin elsewhere: refused by the server, or changed in another tab.
 *
 * @returns a function that stops following changes in other tabs
 */
export function watchSession(onRefused: (error: ApiError) => void): () => void {
  onSessionRefused((error) => {
    forgetSession()
    onRefused(error)
  })
  return onJwtChangedElsewhere((jwt) => {
    if (!jwt) forgetSession()
    // If the server cannot be reached, this tab stays as it is; a refusal has its own listener above.
    else restoreSession().catch(() => undefined)
  })
}

function forgetSession(): void {
  clearJwt()
  useSession.setState(signedOut)
  queryClient.removeQueries({ queryKey: keys.mine })
}

/** @returns why a sign-in failed, as the middle of a sentence; undefined if unknown */
export function loginReason(error: unknown): string | undefined {
  const said = error instanceof ApiError ? serverSentence(error, '') : errorSentence(error, '')
  return said.replace(/\.$/, '') || undefined
}

import { type User } from '@juicebar/contract/schemas'

import { ApiError, errorSentence, serverSentence } from '../api/api-error.ts'
import { call, onSessionRefused } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { keys } from '../api/queries.ts'
import { clearToken, onTokenChangedElsewhere, readToken, writeToken } from '../api/jwt.ts'
import { createStore } from '../ui/store.ts'
import { signMessage } from '../wallet/wallet.ts'
import { answerOf } from '../wallet/wallet-error.ts'
import { ANSWER_MS, type Connection, disconnectWallet, walletState } from '../wallet/wallet-store.ts'

type Authorization = 'checking' | 'signed-out' | 'signed-in'

export interface SessionState {
  authorization: Authorization
  user: User | undefined
  /** A sign-in is under way: the wallet or the server is being asked. */
  loading: boolean
  /** Why the last sign-in failed. */
  error: string | undefined
}

const signedOut: SessionState = { authorization: 'signed-out', user: undefined, loading: false, error: undefined }

export const session = createStore<SessionState>({ ...signedOut, authorization: 'checking' })

/** Restores the session that a reload left behind. Throws `ApiError` where the server could not be asked. */
export async function restoreSession(): Promise<void> {
  if (!readToken()) {
    session.set(signedOut)
    return
  }
  try {
    const { user } = await call('me', {})
    session.set(isForeign(user) ? signedOut : { ...signedOut, authorization: 'signed-in', user })
  } catch (error) {
    if (session.get().authorization === 'checking') session.set(signedOut)
    throw error
  }
}

/** True where another tab signed another wallet in than the one that is connected here; that session is not this tab's to use or to end. */
function isForeign(user: User): boolean {
  const { connected } = walletState.get()
  return connected !== undefined && connected.account.address !== user.walletAddress
}

/** Proves to the server that the wallet is the user's: asks for a nonce, has it signed, and keeps the token. Throws. */
export async function signIn({ wallet, account, connection }: Connection): Promise<void> {
  session.set({ ...signedOut, loading: true })
  try {
    const walletAddress = account.address
    const { message } = await call('requestNonce', { body: { walletAddress } })
    const bytes = await answerOf(signMessage(wallet, account, message), ANSWER_MS)
    const { base58 } = await import('@scure/base')
    const { token, user } = await call('verifySignature', { body: { walletAddress, signature: base58.encode(bytes) } })
    if (walletState.get().connected?.connection !== connection) {
      session.set(signedOut)
      return
    }
    writeToken(token)
    session.set({ ...signedOut, authorization: 'signed-in', user })
  } catch (error) {
    session.set({ ...signedOut, error: loginReason(error) })
    throw error
  }
}

/** Why a sign-in failed, as the middle of a sentence; undefined where there is nothing better to say than the default. */
export function loginReason(error: unknown): string | undefined {
  const said = error instanceof ApiError ? serverSentence(error, '') : errorSentence(error, '')
  return said.replace(/\.$/, '') || undefined
}

/** Ends the session here and on the server, and lets the wallet go. Never throws: the token is gone from this browser in any case. */
export async function logOut(): Promise<void> {
  const ended = readToken() ? call('logout', {}).catch(() => undefined) : undefined
  forgetSession()
  await Promise.all([ended, walletState.get().connected ? disconnectWallet() : undefined])
}

/** Ends the session because the wallet shows another account now; the wallet stays connected. */
export function endForOtherAccount(): void {
  if (readToken()) call('logout', {}).catch(() => undefined)
  forgetSession()
}

/** Listens for sessions that end elsewhere: refused by the server, or ended or begun in another tab. */
export function watchSession(onRefused: (error: ApiError) => void): () => void {
  onSessionRefused((error) => {
    forgetSession()
    onRefused(error)
  })
  return onTokenChangedElsewhere((token) => {
    if (!token) forgetSession()
    else restoreSession().catch(() => undefined)
  })
}

function forgetSession(): void {
  clearToken()
  session.set(signedOut)
  queryClient.removeQueries({ queryKey: keys.mine })
}

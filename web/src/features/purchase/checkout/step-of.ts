import { type SessionState } from '../../../session/session-store.ts'
import { type WalletState } from '../../../wallet/wallet-store.ts'
import { type Step } from './screen.ts'

/**
 * What a player has to do next. Who is signed in and has chosen a wallet before can pay at once: the press connects the wallet, too.
 */
export function stepOf(
  { phase, connected, chosen }: Pick<WalletState, 'phase' | 'connected' | 'chosen'>,
  { authorization, loading }: Pick<SessionState, 'authorization' | 'loading'>,
): Step {
  if (phase !== 'idle') return 'connecting'
  if (authorization === 'checking') return 'checking'
  if (authorization === 'signed-in') return connected || chosen !== undefined ? 'pay' : 'connect'
  if (!connected) return 'connect'
  return loading ? 'signing-in' : 'sign-in'
}

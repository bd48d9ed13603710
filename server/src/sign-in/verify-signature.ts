import { randomUUID } from 'node:crypto'

import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type User } from '@juicebar/contract/schemas'
import { base58 } from '@scure/base'

import { isSignedBy } from '../chain/transactions/wallet-signature.ts'
import { type Database } from '../database/connect.ts'
import { type LoginText } from './login-text.ts'
import { type SessionTokens } from './session-jwt.ts'
import { findPlayer, findSignIn, openSession } from './sign-in-store.ts'

export interface SignInOptions {
  loginText: LoginText
  tokens: SessionTokens
  /**
   * Called for a wallet that proved itself for the first time, before it becomes a player, so that a crash cannot skip it. It
   * may be called again for the same wallet and must then do nothing.
   */
  onFirstSignIn: (wallet: WalletAddress) => Promise<void>
}

/**
 * Opens a session for a wallet that signed its open nonce. The nonce is used up only by a valid signature, and only once:
 * NONCE_INVALID where there is none (any more), SIGNATURE_INVALID where someone or something else was signed.
 */
export async function verifySignature(
  database: Database,
  { loginText, tokens, onFirstSignIn }: SignInOptions,
  wallet: WalletAddress,
  signature: Signature,
): Promise<{ token: string; user: User }> {
  const signIn = await findSignIn(database, wallet)
  if (!signIn) throw new Failure('NONCE_INVALID')
  if (!isSignedBy(wallet, Buffer.from(loginText(signIn.nonce)), base58.decode(signature))) throw new Failure('SIGNATURE_INVALID')
  if (!signIn.known) await onFirstSignIn(wallet)

  const id = randomUUID()
  const session = await openSession(database, id, wallet, signIn.nonce)
  if (!session) throw new Failure('NONCE_INVALID')
  const user = { walletAddress: wallet, createdAt: session.playerSince.toISOString() }
  return { token: tokens.sign({ id, player: wallet }, session.expiresAt), user }
}

/** The player behind a live session. */
export async function requirePlayer(database: Database, wallet: WalletAddress): Promise<User> {
  const player = await findPlayer(database, wallet)
  if (!player) throw new Error('a session without its player')
  return player
}

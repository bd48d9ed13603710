import { randomUUID } from 'node:crypto'

import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type OwnBlock, type User } from '@juicebar/contract/schemas'
import { base58 } from '@scure/base'

import { isSignedBy } from '../chain/transactions/wallet-signature.ts'
import { type Database } from '../database/connect.ts'
import { type LoginText } from './login-text.ts'
import { type SessionJwts } from './session-jwt.ts'
import { findPlayer, findSignIn, openSession } from './sign-in-store.ts'

export interface SignInOptions {
  loginText: LoginText
  jwts: SessionJwts
  /**
   * Called when a wallet signs in for the first time, before it becomes a player, so that a crash cannot skip it. It must be
   * idempotent: it may be called again for the same wallet.
   */
  onFirstSignIn: (wallet: WalletAddress) => Promise<void>
  /** Throws `Failure` BLOCKED if the wallet may not sign in. */
  checkSignIn: (wallet: WalletAddress) => Promise<void>
  /** The part of the block that the blocked player may see. */
  readBlock: (wallet: WalletAddress) => Promise<OwnBlock | undefined>
}

/**
 * Opens a session for a wallet that signed its open nonce. Only a valid signature uses up the nonce.
 * @throws NONCE_INVALID if the wallet has no open nonce; SIGNATURE_INVALID if another wallet signed, or another message;
 * BLOCKED
 * @returns `token` is the session JWT
 */
export async function verifySignature(
  database: Database,
  { loginText, jwts, onFirstSignIn, checkSignIn }: SignInOptions,
  wallet: WalletAddress,
  signature: Signature,
): Promise<{ token: string; user: User }> {
  const signIn = await findSignIn(database, wallet)
  if (!signIn) throw new Failure('NONCE_INVALID')
  if (!isSignedBy(wallet, Buffer.from(loginText(signIn.nonce)), base58.decode(signature))) throw new Failure('SIGNATURE_INVALID')
  await checkSignIn(wallet)
  if (!signIn.known) await onFirstSignIn(wallet)

  const id = randomUUID()
  const session = await openSession(database, id, wallet, signIn.nonce)
  if (!session) throw new Failure('NONCE_INVALID')
  const user = { walletAddress: wallet, createdAt: session.playerSince.toISOString() }
  return { token: jwts.sign({ id, player: wallet }, session.expiresAt), user }
}

/** The player behind a live session. */
export async function requirePlayer(database: Database, wallet: WalletAddress): Promise<User> {
  const player = await findPlayer(database, wallet)
  if (!player) throw new Error('a live session has no player')
  return player
}

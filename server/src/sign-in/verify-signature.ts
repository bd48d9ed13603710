import { randomBytes, randomUUID } from 'node:crypto'
import { type WalletAddress, type Signature } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { Failure } from '@juicebar/contract/errors'
import { type OwnBlock, type User } from '@juicebar/contract/schemas'
import { type Database } from '../database/connect.ts'
import { type LoginText, type SessionJwts, type SessionClaims } from './session-jwt.ts'
import { issueNonce, findPlayer, findSignIn, openSession, isSessionAlive } from './sign-in-store.ts'
import { isSignedBy } from '../chain/transactions/keys.ts'

const NONCE_BYTES = 32

/**
 * The message that a wallet signs to sign in. Until it expires, every request for the wallet returns the same nonce, so nobody
 * can void another player's sign-in by requesting one.
 */
export async function requestNonce(database: Database, loginText: LoginText, wallet: WalletAddress) {
  const { nonce, expiresAt, millisLeft } = await issueNonce(database, wallet, base58.encode(randomBytes(NONCE_BYTES)))
  return { nonce, message: loginText(nonce), expiresAt: expiresAt.toISOString(), millisLeft }
}

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

/**
 * The live session that a request's JWT names.
 * @throws UNAUTHORIZED without a JWT; SESSION_ENDED if the JWT is invalid or its session has expired or was signed out
 */
export async function readSession(database: Database, jwts: SessionJwts, jwt: string | undefined): Promise<SessionClaims> {
  if (jwt === undefined) throw new Failure('UNAUTHORIZED')
  const claims = jwts.verify(jwt)
  if (!claims || !(await isSessionAlive(database, claims.id, claims.player))) throw new Failure('SESSION_ENDED')
  return claims
}

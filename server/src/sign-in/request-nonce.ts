import { randomBytes } from 'node:crypto'

import { type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'

import { type Database } from '../database/connect.ts'
import { type LoginText } from './login-text.ts'
import { issueNonce } from './sign-in-store.ts'

const NONCE_BYTES = 32

/**
 * The message that a wallet signs to sign in. Until it expires, every request for the wallet returns the same nonce, so nobody
 * can void another player's sign-in by requesting one.
 */
export async function requestNonce(database: Database, loginText: LoginText, wallet: WalletAddress) {
  const { nonce, expiresAt, millisLeft } = await issueNonce(database, wallet, base58.encode(randomBytes(NONCE_BYTES)))
  return { nonce, message: loginText(nonce), expiresAt: expiresAt.toISOString(), millisLeft }
}

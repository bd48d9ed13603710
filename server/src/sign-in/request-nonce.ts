import { randomBytes } from 'node:crypto'

import { type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'

import { type Database } from '../database/connect.ts'
import { type LoginText } from './login-text.ts'
import { issueNonce } from './sign-in-store.ts'

const NONCE_BYTES = 32

/** Gives a wallet what to sign. Asking again before it expired gives the same: nobody can void the sign-in of another. */
export async function requestNonce(database: Database, loginText: LoginText, wallet: WalletAddress) {
  const { nonce, expiresAt, millisLeft } = await issueNonce(database, wallet, base58.encode(randomBytes(NONCE_BYTES)))
  return { nonce, message: loginText(nonce), expiresAt: expiresAt.toISOString(), millisLeft }
}

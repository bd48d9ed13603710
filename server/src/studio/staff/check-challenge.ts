import { parseSignature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { base58 } from '@scure/base'

import { isSignedBy } from '../../chain/transactions/wallet-signature.ts'
import { type Database } from '../../database/connect.ts'
import { type SignedRequest } from '../../http/api/staff-check.ts'
import { isId } from '../../listings/listing.ts'
import { challengeRefusal, hashBody } from './challenge.ts'
import { findChallenge, spendChallenge } from './challenge-store.ts'

/**
 * Uses up the challenge of a call, which its wallet has signed. Only the right signature, with the right call, uses it up.
 * @throws CHALLENGE_NEEDED and the other codes that begin so
 */
export async function checkChallenge(database: Database, { wallet, challenge, signature, call, body }: SignedRequest): Promise<void> {
  if (challenge === undefined || signature === undefined) throw new Failure('CHALLENGE_NEEDED')
  const asked = { walletAddress: wallet, call, bodyHash: hashBody(body) }
  const find = async () => (isId(challenge) ? findChallenge(database, challenge) : undefined)
  const refusal = challengeRefusal(await find(), asked, (message) => isSigned(wallet, message, signature))
  if (refusal) throw new Failure(refusal)
  if (await spendChallenge(database, challenge)) return
  // In the meantime, it was used elsewhere or expired.
  throw new Failure(challengeRefusal(await find(), asked, () => true) ?? 'CHALLENGE_USED')
}

function isSigned(wallet: WalletAddress, message: string, text: string): boolean {
  const signature = parseSignature(text)
  return signature !== undefined && isSignedBy(wallet, Buffer.from(message), base58.decode(signature))
}

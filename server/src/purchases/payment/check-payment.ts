import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { BLOCKHASH_BLOCKS, type Chain } from '../../chain/chain.ts'
import { decodeSignedTransaction } from '../../chain/transactions/signed-transaction.ts'
import { type ExpectedTransfer, findPaymentFlaw } from './signed-payment.ts'

/** Signed transaction bytes that do what they should and could land now; nothing was sent yet. */
export interface CheckedPayment {
  signature: Signature
  bytes: Uint8Array
  /** Above this block height they can no longer land. */
  expiryHeight: bigint
}

/**
 * Decodes signed bytes from outside and checks that they are exactly the expected transfer.
 * @throws PAYMENT_REFUSED
 */
export function decodePayment(base64: string, expected: ExpectedTransfer) {
  const transaction = decodeSignedTransaction(base64)
  if (!transaction) throw refused('it is not a signed Solana transaction.')
  const flaw = findPaymentFlaw(transaction, expected)
  if (flaw) throw refused(flaw)
  return transaction
}

/**
 * Asks the chain whether the bytes could land now.
 * @throws PAYMENT_REFUSED or CHAIN_DOWN
 */
export async function checkOnChain(chain: Chain, transaction: ReturnType<typeof decodePayment>): Promise<CheckedPayment> {
  if (!(await chain.isBlockhashValid(transaction.blockhash))) throw refused('it was signed too long ago. Please try again.')
  const problem = await chain.simulate(transaction.bytes)
  if (problem) throw refused(`the network would refuse it (${problem}).`)
  const expiryHeight = (await chain.highestBlockHeight()) + BLOCKHASH_BLOCKS
  return { signature: transaction.signature, bytes: transaction.bytes, expiryHeight }
}

function refused(detail: string): Failure {
  return new Failure('PAYMENT_REFUSED', { detail })
}

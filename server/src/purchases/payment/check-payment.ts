import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { type Chain, type SimulationOptions } from '../../chain/chain.ts'
import { type DecodedTransaction, decodeSignedTransaction } from '../../chain/transactions/signed-transaction.ts'
import { type ExpectedPayment, findCoSignedFlaw, findPaymentFlaw } from './signed-payment.ts'

/** Signed transaction bytes that do what they should and could land now. Nothing has been sent yet. */
export interface CheckedPayment {
  signature: Signature
  bytes: Uint8Array
  /** Above this block height they can no longer land. */
  expiryHeight: bigint
}

/**
 * Decodes signed bytes from outside and checks that they make exactly the expected payment.
 * @param coSigners keys of the market: bytes that name one of them must wait for its signature
 * @throws PAYMENT_REFUSED
 */
export function decodePayment(base64: string, expected: ExpectedPayment, coSigners: readonly string[] = []) {
  const transaction = decodeSignedTransaction(base64)
  if (!transaction) throw refused('it is not a signed Solana transaction.')
  const coSigner = transaction.signers.find((signer) => coSigners.includes(signer))
  const flaw =
    coSigner === undefined ? findPaymentFlaw(transaction, expected) : findCoSignedFlaw(transaction, expected, [coSigner], 'empty')
  if (flaw) throw refused(flaw)
  return transaction
}

/**
 * Asks the chain whether the bytes could land now, once everybody has signed.
 * @throws PAYMENT_REFUSED or CHAIN_DOWN
 */
export async function checkOnChain(
  chain: Chain,
  { signature, bytes }: Pick<DecodedTransaction, 'signature' | 'bytes'>,
  options?: SimulationOptions,
): Promise<CheckedPayment> {
  const simulation = await chain.simulate(bytes, options)
  switch (simulation.kind) {
    case 'expired':
      throw options?.awaitsCoSigner === undefined
        ? refused('it was signed too long ago. Please try again.')
        : new Failure('PAYMENT_EXPIRED')
    case 'fails':
      throw refused(`the network would refuse it (${simulation.reason}).`)
    case 'valid':
      // The bank that simulated it knew its blockhash, so the blockhash is no newer than that slot.
      return { signature, bytes, expiryHeight: await chain.expiryHeight(simulation.slot) }
  }
}

function refused(detail: string): Failure {
  return new Failure('PAYMENT_REFUSED', { detail })
}

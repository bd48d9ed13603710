import { bytesEqual, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { type SolanaTransactionVersion } from '@solana/wallet-standard-features'

import { buildPayment } from '../../payment/build-payment.ts'

/** A refund as shown to the seller, and the reference by which the server will find it. */
export interface RefundTerms {
  from: string
  to: string
  lamports: bigint
  reference: string
  /** Who has to sign beside the seller, if anybody. */
  coSigner: string | null
}

/**
 * Checks a refund that the server prepared: byte for byte it must be one transfer on these terms and nothing else. A co-signer can do nothing
 * but let it happen.
 *
 * @returns the transaction bytes to sign, in the version that the wallet supports; undefined if the server prepared anything else
 */
export function checkedRefund(prepared: Uint8Array, terms: RefundTerms, version: SolanaTransactionVersion): Uint8Array | undefined {
  try {
    const lifetime = { blockhash: readBlockhash(prepared), lastValidBlockHeight: 0n }
    const { from, to, lamports, reference, coSigner } = terms
    const refund = { from, transfers: [{ to, lamports }], reference, ...(coSigner !== null && { coSigner }), lifetime }
    if (!bytesEqual(prepared, buildPayment({ ...refund, version: 0 }))) return undefined
    return buildPayment({ ...refund, version })
  } catch {
    // The decoders throw if the bytes are not a transaction.
    return undefined
  }
}

function readBlockhash(transaction: Uint8Array): string {
  const { messageBytes } = getTransactionDecoder().decode(transaction)
  return getCompiledTransactionMessageDecoder().decode(messageBytes).lifetimeToken
}

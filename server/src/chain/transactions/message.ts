import { createHash } from 'node:crypto'
import {
  address,
  type Base64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  signatureBytes,
} from '@solana/kit'

/** Of whole transactions, and of their messages. Made once, since making one takes as long as using it. */
export const transactionCodec = { decoder: getTransactionDecoder(), encoder: getTransactionEncoder() }
export const messageCodec = { decoder: getCompiledTransactionMessageDecoder(), encoder: getCompiledTransactionMessageEncoder() }

/** A transaction as RPC calls take it. */
export function wireTransaction(transactionBytes: Uint8Array): Base64EncodedWireTransaction {
  // kit has no other way to this type than to decode the bytes and encode them again.
  return Buffer.from(transactionBytes).toString('base64') as Base64EncodedWireTransaction
}

/**
 * The SHA-256 of what the signers of a transaction sign. One key can make many valid signatures of one message, and validators tell
 * transactions apart by their messages, so this identifies a payment where its signature does not.
 *
 * @throws SolanaError if the bytes are not a transaction.
 */
export function hashMessage(transactionBytes: Uint8Array): Buffer {
  const { messageBytes } = transactionCodec.decoder.decode(transactionBytes)
  return createHash('sha256').update(Uint8Array.from(messageBytes)).digest()
}

/**
 * The blockhash with which a transaction was signed.
 *
 * @throws SolanaError if the bytes are not a transaction.
 */
export function blockhashOf(transactionBytes: Uint8Array): string {
  const { messageBytes } = transactionCodec.decoder.decode(transactionBytes)
  return messageCodec.decoder.decode(messageBytes).lifetimeToken
}

/**
 * Puts a signature into the place that a transaction has for it.
 *
 * @returns the bytes with it; those that were passed do not change.
 * @throws Error if this address does not sign the transaction, or its place is not empty.
 */
export function withSignature(transactionBytes: Uint8Array, signer: string, signature: Uint8Array): Uint8Array {
  const transaction = transactionCodec.decoder.decode(transactionBytes)
  const own = Object.entries(transaction.signatures).find(([address]) => address === signer)
  if (!own || own[1] !== null) throw new Error(`the transaction has no empty place for a signature of ${signer}`)
  const signatures = { ...transaction.signatures, [address(signer)]: signatureBytes(signature) }
  return Uint8Array.from(transactionCodec.encoder.encode({ ...transaction, signatures }))
}

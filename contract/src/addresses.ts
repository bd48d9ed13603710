import { base58 } from '@scure/base'

import { Failure } from './errors.ts'

declare const walletAddressBrand: unique symbol
declare const signatureBrand: unique symbol

/** A Solana address: 32 bytes in base58. */
export type WalletAddress = string & { readonly [walletAddressBrand]: true }
/** An ed25519 signature, which is also a transaction's name: 64 bytes in base58. */
export type Signature = string & { readonly [signatureBrand]: true }

/** Brands an address; undefined if the text is not base58 of 32 bytes. */
export function parseWalletAddress(text: string): WalletAddress | undefined {
  return isBase58(text, 32, 44) ? (text as WalletAddress) : undefined
}

/**
 * An address that a caller names.
 * @throws WALLET_ADDRESS_INVALID
 */
export function requireWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Failure('WALLET_ADDRESS_INVALID')
  return wallet
}

/** Brands a signature; undefined if the text is not base58 of 64 bytes (specification, section 9). */
export function parseSignature(text: string): Signature | undefined {
  return isBase58(text, 64, 88) ? (text as Signature) : undefined
}

function isBase58(text: string, bytes: number, longest: number): boolean {
  if (text.length < bytes || text.length > longest) return false
  try {
    return base58.decode(text).length === bytes
  } catch {
    return false
  }
}

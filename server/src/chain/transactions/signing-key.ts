import { address, isOffCurveAddress } from '@solana/kit'

import { isSmallOrderKey } from './small-order-keys.ts'

/**
 * Whether someone can have the private key of an address (base58 of 32 bytes). False for addresses of programs' accounts, which are
 * not on the curve, and for keys of small order, whose signatures we never accept.
 */
export function mayHaveSigner(walletAddress: string): boolean {
  return !isSmallOrderKey(walletAddress) && !isOffCurveAddress(address(walletAddress))
}

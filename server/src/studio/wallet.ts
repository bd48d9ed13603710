import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

/** @throws WALLET_ADDRESS_INVALID */
export function requireWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Failure('WALLET_ADDRESS_INVALID')
  return wallet
}

import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_STUDIO_WALLETS } from '@juicebar/contract/limits'

import { isPayee } from './setting-formats.ts'
import { type Reader } from './setting-reader.ts'

/** The wallets of the first staff; none if nobody is named. */
export function readStudioWallets(name: string, read: Reader): WalletAddress[] {
  const allowed = `1 to ${MAX_STUDIO_WALLETS} Solana wallet addresses that somebody can sign with, each once, separated by commas`
  const text = read.matching(name, isWalletList, allowed, '')
  return text.split(',').flatMap((wallet) => parseWalletAddress(wallet) ?? [])
}

function isWalletList(text: string): boolean {
  const wallets = text.split(',')
  return wallets.length <= MAX_STUDIO_WALLETS && new Set(wallets).size === wallets.length && wallets.every(isPayee)
}

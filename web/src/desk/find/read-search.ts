import { parseSignature, parseWalletAddress } from '@juicebar/contract/addresses'

/** What a person is searching for. */
export type Search =
  | { kind: 'wallet'; walletAddress: string }
  | { kind: 'purchase'; purchaseId: string }
  | { kind: 'transaction'; signature: string }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const base58Text = /[1-9A-HJ-NP-Za-km-z]{32,88}/g

/**
 * Reads the search field: a wallet, a purchase's id or a transaction's signature, also inside other text, such as an explorer's link.
 *
 * @returns undefined if the text names none of them
 */
export function readSearch(text: string): Search | undefined {
  const id = uuid.exec(text)?.[0]
  if (id) return { kind: 'purchase', purchaseId: id.toLowerCase() }
  const words = [...text.matchAll(base58Text)].map(([word]) => word)
  const signature = words.find(parseSignature)
  if (signature) return { kind: 'transaction', signature }
  const walletAddress = words.find(parseWalletAddress)
  return walletAddress ? { kind: 'wallet', walletAddress } : undefined
}

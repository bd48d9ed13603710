import { createHash, createHmac } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports, solText } from '@juicebar/contract/money'
import { type PayLinkState } from '@juicebar/contract/schemas'
import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type HeldPurchase } from '../hold/hold-store.ts'
import { amountOf, firstItem } from '../purchase/purchase.ts'

/** The maker of a link: a network, and a wallet if the maker is signed in. */
export interface PayLinkMaker {
  /** A keyed hash of the network: 32 bytes. */
  network: Buffer
  wallet: WalletAddress | undefined
}

/** The hash of a link's secret name, as the database stores it. */
export function hashOfToken(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Returns a function that turns a network into the hash that the database stores. Servers with the same secret compute the same hash. */
export function createNetworkHash(secret: string): (network: string) => Buffer {
  return (network) => createHmac('sha256', secret).update('juicebar pay link maker:').update(network).digest()
}

/** The content of a link's QR code: a Solana Pay transaction request. */
export function payLinkUrl(publicOrigin: string, token: string): string {
  return `solana:${encodeURIComponent(new URL(`/p/${token}`, publicOrigin).href)}`
}

/** The line that the wallet shows for a payment. */
export function paymentMessage(
  { items, priceLamports, feeLamports }: Pick<HeldPurchase, 'items' | 'priceLamports' | 'feeLamports'>,
  catalogue: Pick<Catalogue, 'nameOf'>,
): string {
  const what = `${amountOf(items).toLocaleString('en')} ${catalogue.nameOf(firstItem(items).tokenType)}`
  const fee = feeLamports > 0n ? `, of which ${solText(lamports(feeLamports))} SOL are the studio’s fee` : ''
  return `${what} for ${solText(lamports(priceLamports + feeLamports))} SOL${fee}`
}

/** What the database knows about a link and its latest hold. */
export interface PayLinkProgress {
  /** Milliseconds until it expires; 0 once it has. */
  millisLeft: number
  isPaid: boolean
  isHeld: boolean
  /** A payment is recorded for the hold. */
  isSent: boolean
  payMillisLeft: number
}

/** The progress of the purchase through a link. */
export function payLinkState({ millisLeft, isPaid, isHeld, isSent, payMillisLeft }: PayLinkProgress): PayLinkState {
  const idle = millisLeft > 0 ? 'open' : 'expired'
  const state = isPaid ? 'delivered' : isHeld ? (isSent ? 'paid' : 'held') : idle
  return { state, millisLeft, payMillisLeft: state === 'held' ? payMillisLeft : 0 }
}

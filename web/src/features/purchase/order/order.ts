import { type TokenType } from '@juicebar/contract/catalogue'

/** A listing, or a part of one, as the buyer was shown it. */
export interface OrderItem {
  /** The listing on the market; for a part, the listing that it is taken from. */
  listingId: string
  seller: string
  tokenType: TokenType
  tokenName: string
  /** How many drinks. */
  amount: number
  /** What the seller receives. */
  lamports: bigint
}

/** What one payment buys, as the buyer confirmed it. */
export interface Order {
  items: readonly OrderItem[]
  /** What the studio receives on top, in lamports. */
  fee: bigint
  /** quote: the cheapest drinks at the moment, from any seller. chosen: exactly these listings. held: listings that are held for the buyer already. */
  origin: 'quote' | 'chosen' | 'held'
  /** The public identifier of the checkout that it pays for. */
  checkout?: string | undefined
}

import { type TokenType } from '@juicebar/contract/catalogue'

/** A lot, or a part of one, as the buyer was shown it. */
export interface OrderItem {
  /** The listing on the market; of a part, the one that it is taken from. */
  listingId: string
  seller: string
  tokenType: TokenType
  tokenName: string
  /** How many drinks. */
  amount: number
  /** What the seller gets. */
  lamports: bigint
}

/** What one payment buys, as the buyer confirmed it. */
export interface Order {
  items: readonly OrderItem[]
  /** What the studio gets on top, in lamports. */
  fee: bigint
  /** quote: the cheapest drinks of the moment, whoever sells them. chosen: just these lots. */
  origin: 'quote' | 'chosen'
}

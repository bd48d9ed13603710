import { solToLamports } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'

/** A listing for sale, with what a test changes about it. */
export function listing({ price = 0.5, ...change }: Partial<Listing> = {}): Listing {
  return {
    _id: 'listing-1',
    seller: '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW',
    tokenName: 'Apple Juice',
    tokenType: 'APPLE_JUICE',
    amount: 10,
    price,
    lamports: String(solToLamports(price)),
    unitPrice: 0.05,
    divisible: false,
    status: 'active',
    heldUntil: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...change,
  }
}

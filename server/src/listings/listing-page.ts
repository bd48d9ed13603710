import { type Listing } from '@juicebar/contract/schemas'
import { SELLER_CHARACTERS_SHOWN } from '@juicebar/contract/limits'

/** The metadata in the head of a listing's page, for browsers and link previews. */
export interface ListingPage {
  title: string
  description: string
}

const states: Record<Listing['status'], string | undefined> = {
  active: undefined,
  sold: 'This lot has been sold.',
  removed: 'This lot is no longer for sale.',
}

/** Describes a listing in the words of a link preview. */
export function listingPage({ amount, tokenName, price, unitPrice, seller, status }: Listing): ListingPage {
  const [count, sol, each] = [amount, price, unitPrice].map((number) => number.toLocaleString('en', { maximumFractionDigits: 9 }))
  const offer = `${each} SOL each, sold by ${seller.slice(0, SELLER_CHARACTERS_SHOWN)}…, paid wallet to wallet.`
  return { title: `${count} ${tokenName} for ${sol} SOL`, description: states[status] ?? offer }
}

import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports, PRICE_STEP_LAMPORTS } from '@juicebar/contract/money'
import { type TokenType, tokenTypes } from '@juicebar/contract/token-types'

import { type Database } from '../../database/connect.ts'
import { violatedConstraint } from '../../database/refusals.ts'
import { inTransaction } from '../../database/transact.ts'
import { postTransfer } from '../../inventory/ledger-store.ts'
import { type OrderDeps, postStudioOrder } from '../../inventory/post-studio-order.ts'
import { createListingIn } from '../../listings/create-listing.ts'
import { type ListingDraft } from '../../listings/listing.ts'
import { demoSellers } from './demo-sellers.ts'

const SELLERS = 5
/** How many of each token a new player gets. */
const STARTER_TOKENS = 50

/** A lot of so many drinks may be bought in parts. */
const DIVISIBLE_AMOUNT = 10

/** Prices are in steps of 0.001 SOL, low enough that one airdrop of test SOL buys several. */
const listings: readonly [TokenType, amount: number, steps: bigint][] = [
  ['APPLE_JUICE', 10, 50n],
  ['ORANGE_JUICE', 5, 35n],
  ['GRAPE_SODA', 8, 96n],
  ['APPLE_JUICE', 25, 110n],
  ['GRAPE_SODA', 3, 39n],
  ['ORANGE_JUICE', 40, 240n],
  ['APPLE_JUICE', 1, 6n],
  ['GRAPE_SODA', 20, 220n],
  ['ORANGE_JUICE', 12, 78n],
  ['APPLE_JUICE', 60, 270n],
  ['GRAPE_SODA', 50, 500n],
  ['ORANGE_JUICE', 2, 15n],
  ['APPLE_JUICE', 15, 72n],
  ['GRAPE_SODA', 6, 69n],
  ['ORANGE_JUICE', 30, 186n],
  ['APPLE_JUICE', 100, 420n],
]

/** Fills the demo market with listings of several sellers. Idempotent: each listing is added only once. */
export async function seedDemoMarket(database: Database, secret: string): Promise<void> {
  const sellers = demoSellers(secret, SELLERS)
  for (const [index, [tokenType, amount, steps]] of listings.entries()) {
    const seller = sellers[index % sellers.length]
    if (!seller) throw new Error('the demo has no sellers')
    const draft = { tokenType, amount, priceLamports: lamports(steps * PRICE_STEP_LAMPORTS), divisible: amount >= DIVISIBLE_AMOUNT }
    await seedListing(database, seller, draft, `demo-listing:${index}`)
  }
}

/** One transaction for both, so that the credit's idempotency key keeps the listing from being repeated too. */
async function seedListing(database: Database, seller: WalletAddress, listing: ListingDraft, idempotencyKey: string): Promise<void> {
  const { tokenType, amount } = listing
  try {
    await inTransaction(database, async (tx) => {
      await postTransfer(tx, { kind: 'credit', tokenType, amount, wallet: seller, idempotencyKey })
      await createListingIn(tx, seller, listing)
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'transfers_idempotency_key_key') throw error
  }
}

/** Credits a new player some of each token, as a studio would. Idempotent. */
export async function creditStarterTokens(deps: OrderDeps, wallet: WalletAddress): Promise<void> {
  for (const { type } of tokenTypes) {
    await postStudioOrder(deps, {
      direction: 'credit',
      walletAddress: wallet,
      tokenType: type,
      amount: STARTER_TOKENS,
      idempotencyKey: `starter:${wallet}:${type}`,
    })
  }
}

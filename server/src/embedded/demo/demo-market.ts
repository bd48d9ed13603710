import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports, lamports, PRICE_STEP_LAMPORTS } from '@juicebar/contract/money'
import { type TokenType, tokenTypes } from '@juicebar/contract/token-types'

import { type Database } from '../../database/connect.ts'
import { inTransaction, violatedConstraint } from '../../database/transact.ts'
import { postTransfer } from '../../inventory/ledger-store.ts'
import { postStudioOrder } from '../../inventory/post-studio-order.ts'
import { createListingIn } from '../../listings/create-listing.ts'
import { demoSellers } from './demo-sellers.ts'

const SELLERS = 5
/** How many of each drink a new player gets in the demo. */
const STARTER_TOKENS = 50

/** Amount and price in steps of 0.001 SOL; small enough that test SOL buys several. */
const lots: readonly [TokenType, amount: number, steps: bigint][] = [
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

/** Fills a new demo market with lots of several sellers, each lot once, and gives how many it added. Safe to repeat. */
export async function seedDemoMarket(database: Database, secret: string): Promise<number> {
  const sellers = demoSellers(secret, SELLERS)
  let added = 0
  for (const [index, [tokenType, amount, steps]] of lots.entries()) {
    const seller = sellers[index % sellers.length]
    if (!seller) throw new Error('the demo has no sellers')
    const priceLamports = lamports(steps * PRICE_STEP_LAMPORTS)
    if (await seedLot(database, seller, { tokenType, amount, priceLamports }, `demo-lot:${index}`)) added += 1
  }
  return added
}

interface DemoLot {
  tokenType: TokenType
  amount: number
  priceLamports: Lamports
}

/** Credit and listing in one transaction: the idempotency key of the one keeps the other from being repeated. */
async function seedLot(database: Database, seller: WalletAddress, lot: DemoLot, idempotencyKey: string): Promise<boolean> {
  const { tokenType, amount } = lot
  try {
    await inTransaction(database, async (tx) => {
      await postTransfer(tx, { kind: 'credit', tokenType, amount, wallet: seller, idempotencyKey })
      await createListingIn(tx, seller, lot)
    })
    return true
  } catch (error) {
    if (violatedConstraint(error) === 'transfers_idempotency_key_key') return false
    throw error
  }
}

/** Gives a new player some of each drink, once, by the studio's own way of crediting tokens. */
export async function giveStarterTokens(database: Database, wallet: WalletAddress): Promise<void> {
  for (const { type } of tokenTypes) {
    await postStudioOrder(database, {
      direction: 'credit',
      walletAddress: wallet,
      tokenType: type,
      amount: STARTER_TOKENS,
      idempotencyKey: `starter:${wallet}:${type}`,
    })
  }
}

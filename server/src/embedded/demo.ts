import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto'
import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { lamports, PRICE_STEP_LAMPORTS } from '@juicebar/contract/money'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { violatedConstraint } from '../runtime/database-failures.ts'
import { inTransaction } from '../database/transact.ts'
import { postTransfer } from '../inventory/ledger-store.ts'
import { type OrderDeps, postStudioOrders } from '../inventory/post-studio-order.ts'
import { createListingIn } from '../listings/change-listings.ts'
import { type ListingDraft } from '../listings/listing.ts'
import { type Config } from '../config.ts'

/** Makes an ed25519 private key of 32 raw bytes (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_BYTES = 32

/** The demo market's sellers: real wallets, whose keys are derived from a secret. */
function demoSellers(secret: string, count: number): WalletAddress[] {
  return Array.from({ length: count }, (_, index) => {
    const seed = createHmac('sha256', secret).update(`demo seller ${index}`).digest()
    const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    const address = parseWalletAddress(base58.encode(publicKey.subarray(-PUBLIC_KEY_BYTES)))
    if (!address) throw new Error('a public key is not a wallet address')
    return address
  })
}

const SELLERS = 5
/** How many of each token a new player gets. */
const STARTER_TOKENS = 50

/** A listing of this many drinks may be bought in parts. */
const DIVISIBLE_AMOUNT = 10

/** The items of the first listings below, by their positions in a small catalogue. A larger catalogue is listed in order. */
const COLUMNS = 3

/** Prices are in steps of 0.001 SOL, low enough that one airdrop of test SOL buys several. */
const listings: readonly [place: number, amount: number, steps: bigint][] = [
  [0, 10, 50n],
  [1, 5, 35n],
  [2, 8, 96n],
  [0, 25, 110n],
  [2, 3, 39n],
  [1, 40, 240n],
  [0, 1, 6n],
  [2, 20, 220n],
  [1, 12, 78n],
  [0, 60, 270n],
  [2, 50, 500n],
  [1, 2, 15n],
  [0, 15, 72n],
  [2, 6, 69n],
  [1, 30, 186n],
  [0, 100, 420n],
]

export interface DemoDeps extends OrderDeps {
  catalogue: Pick<Catalogue, 'items'>
}

/** Fills the demo market with listings of several sellers, at least one of each item. Idempotent: each listing is added only once. */
export async function seedDemoMarket({ database, catalogue: { items } }: DemoDeps, secret: string): Promise<void> {
  const sellers = demoSellers(secret, SELLERS)
  for (let index = 0; index < Math.max(listings.length, items.length); index++) {
    const [place = 0, amount = 1, steps = 1n] = listings[index % listings.length] ?? []
    const tokenType = items[(items.length <= COLUMNS ? place : index) % items.length]?.code
    const seller = sellers[index % sellers.length]
    if (!seller || tokenType === undefined) throw new Error('the demo has no sellers or nothing to sell')
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
export async function creditStarterTokens(deps: DemoDeps, wallet: WalletAddress): Promise<void> {
  const orders = deps.catalogue.items.map(({ code: tokenType }) => ({
    direction: 'credit' as const,
    walletAddress: wallet,
    tokenType,
    amount: STARTER_TOKENS,
    idempotencyKey: `starter:${wallet}:${tokenType}`,
  }))
  const refused = (await postStudioOrders(deps, orders)).find((outcome) => outcome instanceof Failure)
  if (refused) throw refused
}

export interface Demo {
  /** Credits starter tokens to a wallet that signs in for the first time. */
  welcome(wallet: WalletAddress): Promise<void>
  /** Fills the market of a local chain, once. On a public network only real sellers may list. */
  seed(): Promise<void>
}

/** What DEMO=on adds. The demo sellers' keys are derived from `secret`. */
export function createDemo({ network, demoSeed }: Config, deps: DemoDeps, secret: string): Demo {
  return {
    welcome: (wallet) => creditStarterTokens(deps, wallet),
    seed: async () => {
      if (demoSeed && network === 'localnet') await seedDemoMarket(deps, secret)
    },
  }
}

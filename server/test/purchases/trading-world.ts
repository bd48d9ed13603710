import { parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { generateKeyPairSigner, type Instruction } from '@solana/kit'
import { expect, vi } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { type Chain, type Commitment } from '../../src/chain/chain.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { readBalances } from '../../src/inventory/ledger-store.ts'
import { createListing } from '../../src/listings/create-listing.ts'
import { createFailureLog } from '../../src/logging/failure-log.ts'
import { type FeeTerms } from '../../src/purchases/fee.ts'
import { listCases } from '../../src/purchases/cases/case-reply-store.ts'
import { type HoldOrder, type OrderedItem } from '../../src/purchases/hold/hold.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { type PurchaseDeps } from '../../src/purchases/purchase-deps.ts'
import { findPurchaseReply } from '../../src/purchases/purchase-reply-store.ts'
import { createReferences } from '../../src/purchases/reference.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import { runAudit } from '../../src/studio/audit/run-audit.ts'
import { collectLog } from '../logging/collected-log.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { sharedChain } from '../support/test-chain.ts'
import { type Payer, type SignedPayment, signTransaction, transfer, type TransactionVersion } from './transactions.ts'

const SOL = 1_000_000_000n
/** How long a slot takes on Solana's clusters. */
const SLOT_MILLIS = 400
const noFee: FeeTerms = { basisPoints: 0, wallet: undefined }
/** Above the prices that tests name. */
const FIRST_PRICE = 100_000_000n
const PRICE_STEP = 1_000_000n
/** Each round passes so many more blocks than the one before: what is sent again still lands, and soon after that nothing can. */
const MORE_BLOCKS = 8

export interface Wallet extends Payer {
  address: WalletAddress
}

/** How a payment differs from the agreed one. */
export interface PaymentChanges {
  from?: Wallet
  to?: WalletAddress
  lamports?: bigint
  /** The references that the transfer carries: by default the purchase's own. */
  references?: readonly string[]
  /** Instructions before and after the transfer. */
  before?: readonly Instruction[]
  after?: readonly Instruction[]
  /** As in `signTransaction`. */
  version?: TransactionVersion
}

interface TradingOptions {
  /** Instead of a new one that is migrated and empty. It is dropped at the end. */
  database?: FreshDatabase
  fee?: FeeTerms
  holdSeconds?: number
  settleAt?: 'confirmed' | 'finalized'
  /** Signatures in one page of an address's history. */
  pageSize?: number
}

export type TradingWorld = Awaited<ReturnType<typeof openTradingWorld>>

/**
 * A market for one test file: an empty database, the chain of this worker, and wallets with 10 SOL and 1,000 apple juices each. By default,
 * there is a payment window of a minute. Nothing reconciles by itself: tests call `reconcileUntil`. Close it in `afterAll`, after
 * `expectAllAddsUp`.
 */
export async function openTradingWorld(options: TradingOptions = {}) {
  const { holdSeconds = 60, settleAt = 'confirmed', pageSize, fee = noFee, database = freshDatabase() } = options
  const { log, lines } = collectLog()
  const [fresh, testChain] = await Promise.all([database, sharedChain()])
  const { rpcUrl } = testChain
  const connection = connectDatabase(fresh.url, () => undefined)
  let skippedMillis = 0
  const clock = () => performance.now() + skippedMillis
  const chain = createChain({ endpoints: [rpcUrl], log, clock, ...(pageSize !== undefined && { pageSize }) })
  await chain.start()
  let lastPrice = FIRST_PRICE
  const deps: PurchaseDeps = {
    database: connection.database,
    chain,
    catalogue: defaultCatalogue,
    settings: { holdSeconds, settleAt, fee },
    references: createReferences(['r'.repeat(32)]),
    log,
    failures: createFailureLog(log),
  }
  return {
    deps,
    chain,
    database: connection.database,
    rpcUrl,
    databaseUrl: fresh.url,
    connection,
    /** What the server has logged at level info and above. */
    lines,
    /** A price in lamports that no other listing has, so that no payment can be taken for another's. */
    nextPrice: () => (lastPrice += PRICE_STEP),
    createWallet: async ({ sol = 10n * SOL }: { sol?: bigint } = {}) => {
      const wallet = await createWallet(deps)
      if (sol > 0n) testChain.fund([wallet.address], sol)
      return wallet
    },
    /** Lets the chain produce so many blocks at once. What the server has read of the chain is as old as they are. */
    mine: async (blocks: number) => {
      await testChain.mine(blocks)
      skippedMillis += blocks * SLOT_MILLIS
    },
    close: async () => {
      await chain.stop()
      await connection.close()
      await fresh.drop()
    },
  }
}

async function createWallet(deps: PurchaseDeps): Promise<Wallet> {
  const signer = await generateKeyPairSigner()
  const wallet = { address: asWallet(signer.address), signer }
  await deps.database.insertInto('players').values({ walletAddress: wallet.address }).execute()
  await postStudioOrder(deps, {
    direction: 'credit',
    walletAddress: wallet.address,
    tokenType: 'APPLE_JUICE',
    amount: 1_000,
    idempotencyKey: `test:${wallet.address}`,
  })
  return wallet
}

/** Lists apple juice for `price` lamports, by default a price of its own. Returns the listing's identifier. */
export async function list(
  world: TradingWorld,
  seller: Wallet,
  { amount = 10, price = world.nextPrice(), divisible = false } = {},
): Promise<string> {
  const listing = await createListing(world.database, seller.address, {
    tokenType: 'APPLE_JUICE',
    amount,
    priceLamports: lamports(price),
    divisible,
  })
  return listing._id
}

/** The order of a client that pays all transfers. */
export function orderOf(
  { address: buyer }: Pick<Wallet, 'address'>,
  items: readonly OrderedItem[],
  sendsThrough: 'server' | 'wallet' = 'server',
): HoldOrder {
  return { buyer, items, sendsThrough, paysTransfers: true }
}

/** Holds several listings, or parts of them. Returns the purchase as its buyer sees it. */
export async function holdItems(
  world: TradingWorld,
  buyer: Wallet,
  items: readonly OrderedItem[],
  sendsThrough: 'server' | 'wallet' = 'server',
): Promise<Purchase> {
  const held = await placeHold(world.deps, orderOf(buyer, items, sendsThrough))
  return readPurchase(world, held.id)
}

/** Holds a listing. Returns the purchase as its buyer sees it. */
export async function hold(
  world: TradingWorld,
  buyer: Wallet,
  listingId: string,
  sendsThrough: 'server' | 'wallet' = 'server',
): Promise<Purchase> {
  const held = await placeHold(world.deps, orderOf(buyer, [{ listingId }], sendsThrough))
  return readPurchase(world, held.id)
}

export async function readPurchase(world: TradingWorld, id: string): Promise<Purchase> {
  const purchase = await findPurchaseReply(world.database, id, { catalogue: defaultCatalogue, genesisHash: undefined })
  if (!purchase) throw new Error('no such purchase')
  return purchase
}

/** The cases that a wallet sees, at most 500. */
export async function casesOf(world: TradingWorld, wallet: WalletAddress): Promise<Case[]> {
  return (await listCases(world.deps, { wallet, limit: 500 })).cases
}

/** Signs the agreed payment of a purchase, or one that differs from it. Sends nothing. */
export async function signPayment(
  world: TradingWorld,
  buyer: Wallet,
  purchase: Purchase,
  changes: PaymentChanges = {},
): Promise<SignedPayment> {
  const {
    from = buyer,
    to = asWallet(purchase.seller),
    lamports: amount = BigInt(purchase.lamports),
    references = [purchase.reference],
    before = [],
    after = [],
    version,
  } = changes
  return signTransaction(world, buyer, [...before, transfer(from, to, amount, references), ...after], { version })
}

/** Signs the agreed payment of a purchase with all its transfers; the fee goes to `studio`. Sends nothing. */
export async function signTransfers(
  world: TradingWorld,
  buyer: Wallet,
  purchase: Purchase,
  studio: Pick<Wallet, 'address'>,
): Promise<SignedPayment> {
  const { items, fee, reference } = purchase
  const received = new Map<WalletAddress, bigint>()
  for (const { seller, lamports: amount } of items) received.set(asWallet(seller), (received.get(asWallet(seller)) ?? 0n) + BigInt(amount))
  if (fee.lamports !== '0') received.set(studio.address, BigInt(fee.lamports))
  return signTransaction(
    world,
    buyer,
    [...received].map(([to, amount]) => transfer(buyer, to, amount, [reference])),
  )
}

/** Sends a transaction without the server, as a wallet does, and waits until the chain has confirmed that it landed, or failed. */
export async function sendByWallet(world: TradingWorld, payment: SignedPayment): Promise<Signature> {
  await callRpc(world.rpcUrl, 'sendTransaction', [payment.base64, { encoding: 'base64', skipPreflight: true }])
  await world.mine(2)
  await vi.waitFor(async () => {
    const status = (await world.chain.statuses([payment.signature])).get(payment.signature)
    expect(status?.commitment).not.toBe('processed')
    expect(status).toBeDefined()
  }, waiting)
  return payment.signature
}

/**
 * Reconciles everything that will ever be due, round after round, until `condition` no longer throws. Between two rounds the chain produces
 * blocks, so that payments become final, and what was signed and never sent expires; recorded payments grow older with them. Fails after 30
 * seconds.
 *
 * @param scansBuyers also finds what only a search of the buyer's own transactions does, for clients that add no reference
 */
export async function reconcileUntil(
  world: TradingWorld,
  condition: () => Promise<void>,
  { scansBuyers = false }: { scansBuyers?: boolean } = {},
): Promise<void> {
  let round = 0
  await vi.waitFor(async () => {
    if (scansBuyers) await makeBuyerScansDue(world)
    await makePurchasesDue(world)
    await makeCasesDue(world)
    await reconcileOnce(world.deps)
    try {
      await condition()
    } catch (error) {
      round += 1
      await passTime(world, round * MORE_BLOCKS)
      throw error
    }
  }, waiting)
}

/** Makes every purchase due that will ever be again. */
export async function makePurchasesDue({ connection }: TradingWorld): Promise<void> {
  await connection.pool.query('update purchases set reconcile_at = now() where reconcile_at is not null')
}

/** Lets the next reconciliation of every hold search its buyer's own transactions, as happens every now and then over a hold's life. */
export async function makeBuyerScansDue({ connection }: TradingWorld): Promise<void> {
  await connection.pool.query(
    `update purchases set created_at = least(created_at, now() - interval '2 minutes'), buyer_scans = 0 where status = 'held'`,
  )
}

/** Makes every case due that will ever be again. */
export async function makeCasesDue({ connection }: TradingWorld): Promise<void> {
  await connection.pool.query('update cases set reconcile_at = now() where reconcile_at is not null')
}

/** Produces blocks, and makes payments that nobody has seen yet older, with their purchases: the server sends them again. */
async function passTime({ mine, connection }: TradingWorld, blocks: number): Promise<void> {
  await mine(blocks)
  await connection.pool.query(
    `with older as (update payments set created_at = created_at - interval '2 seconds' where status = 'recorded' returning purchase_id)
    update purchases set created_at = created_at - interval '2 seconds' where id in (select purchase_id from older)`,
  )
}

/** Reconciles until a purchase has this status. */
export async function untilStatus(world: TradingWorld, purchaseId: string, status: Purchase['status']): Promise<void> {
  await reconcileUntil(world, async () => expect((await readPurchase(world, purchaseId)).status).toBe(status))
}

export async function appleJuice(world: TradingWorld, { address: wallet }: Wallet): Promise<number> {
  return (await readBalances(world.database, wallet, defaultCatalogue))['appleJuice'] ?? 0
}

/** Runs the money audit, which must find nothing, whatever the tests did. */
export async function expectAllAddsUp(world: TradingWorld): Promise<void> {
  expect(await runAudit(world.deps, { full: true })).toMatchObject({ ok: true, violations: [] })
}

/** The world's dependencies, with some of the chain's calls replaced. */
export function chainBut({ deps }: TradingWorld, changes: Partial<Chain>): PurchaseDeps {
  const chain = new Proxy(deps.chain, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { ...deps, chain }
}

/** The world's dependencies on a chain whose transactions are at `commitment`, however far they have come. */
export function chainAt(world: TradingWorld, commitment: Commitment): PurchaseDeps {
  const statuses = async (signatures: readonly Signature[]) => {
    const known = await world.chain.statuses(signatures)
    return new Map([...known].map(([signature, status]) => [signature, { ...status, commitment }]))
  }
  return chainBut(world, { statuses, finality: statuses })
}

/** For `vi.waitFor`: what a busy machine may take. */
export const waiting = { timeout: 30_000, interval: 50 }

/** Calls the chain without the client under test. */
export async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const reply: unknown = await response.json()
  if (typeof reply !== 'object' || reply === null || !('result' in reply)) throw new Error(`${method}: ${JSON.stringify(reply)}`)
  return reply.result
}

function asWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Error(`${text} is not a wallet address`)
  return wallet
}

import { base64 } from '@scure/base'
import { parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports, type Lamports } from '@juicebar/contract/money'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash as asBlockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { pino } from 'pino'
import { expect, vi } from 'vitest'

import { type Chain } from '../../src/chain/chain.ts'
import { createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { connectDatabase, type Database } from '../../src/database/connect.ts'
import { startLocalChain } from '../../src/embedded/local-chain/local-chain.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { readBalances } from '../../src/inventory/ledger-store.ts'
import { createListing } from '../../src/listings/create-listing.ts'
import { listCases } from '../../src/purchases/cases/case-reply-store.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { type PurchaseDeps } from '../../src/purchases/purchase-deps.ts'
import { findPurchaseReply } from '../../src/purchases/purchase-reply-store.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import { runAudit } from '../../src/studio/run-audit.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const SOL = 1_000_000_000n

export interface Wallet {
  address: WalletAddress
  signer: KeyPairSigner
}

/** How a payment in a test differs from the one agreed. */
export interface PaymentChanges {
  from?: Wallet
  to?: WalletAddress
  lamports?: bigint
  /** The references the transfer names; the purchase's own where left out. */
  references?: readonly string[]
  before?: readonly Instruction[]
  after?: readonly Instruction[]
  legacy?: boolean
}

export interface SignedPayment {
  base64: string
  bytes: Uint8Array
  signature: Signature
}

export type TradingWorld = Awaited<ReturnType<typeof openTradingWorld>>

/** A market of its own for one test file: a fresh database, a fresh local chain, and wallets that hold SOL and tokens. */
export async function openTradingWorld(options: { slotMillis?: number; holdSeconds?: number; settleAt?: 'confirmed' | 'finalized' } = {}) {
  const { slotMillis = 50, holdSeconds = 60, settleAt = 'confirmed' } = options
  const log = pino({ level: 'silent' })
  const [fresh, localChain] = await Promise.all([freshDatabase(), startLocalChain({ log, slotMillis })])
  const connection = connectDatabase(fresh.url, () => undefined)
  const chain = createChain({ endpoints: [localChain.rpcUrl], log })
  await chain.start()
  const deps: PurchaseDeps = { database: connection.database, chain, settings: { holdSeconds, settleAt }, log }
  return {
    deps,
    chain,
    database: connection.database,
    rpcUrl: localChain.rpcUrl,
    connection,
    createWallet: () => createWallet(connection.database, chain, localChain.rpcUrl),
    close: async () => {
      await chain.stop()
      await connection.close()
      await Promise.all([localChain.stop(), fresh.drop()])
    },
  }
}

async function createWallet(database: Database, chain: SolanaChain, rpcUrl: string): Promise<Wallet> {
  const signer = await generateKeyPairSigner()
  const wallet = { address: asWallet(signer.address), signer }
  await database.insertInto('players').values({ walletAddress: wallet.address }).execute()
  await postStudioOrder(database, {
    direction: 'credit',
    walletAddress: wallet.address,
    tokenType: 'APPLE_JUICE',
    amount: 1_000,
    idempotencyKey: `test:${wallet.address}`,
  })
  await callRpc(rpcUrl, 'requestAirdrop', [wallet.address, Number(10n * SOL)])
  await vi.waitFor(async () => expect(await chain.balance(wallet.address, { fresh: true })).toBe(10n * SOL), waiting)
  return wallet
}

/** Puts apple juice up for sale. */
export async function list(world: TradingWorld, seller: Wallet, { amount = 10, price = 50_000_000n } = {}): Promise<string> {
  const listing = await createListing(world.database, seller.address, { tokenType: 'APPLE_JUICE', amount, priceLamports: lamports(price) })
  return listing._id
}

/** Holds a lot and gives the purchase as its buyer sees it. */
export async function hold(
  world: TradingWorld,
  buyer: Wallet,
  listingId: string,
  sendsThrough: 'server' | 'wallet' = 'server',
): Promise<Purchase> {
  return readPurchase(world, await placeHold(world.deps, { buyer: buyer.address, listingId, sendsThrough }))
}

export async function readPurchase(world: TradingWorld, id: string): Promise<Purchase> {
  const purchase = await findPurchaseReply(world.database, id, undefined)
  if (!purchase) throw new Error('no such purchase')
  return purchase
}

/** The cases that a wallet is shown. */
export async function casesOf(world: TradingWorld, wallet: WalletAddress): Promise<Case[]> {
  return (await listCases(world.database, { wallet, limit: 500 })).cases
}

/** Signs the agreed payment of a purchase, or one that differs from it. */
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
  } = changes
  const payment = transfer(from, to, lamports(amount), references)
  return signTransaction(world, buyer, [...(changes.before ?? []), payment, ...(changes.after ?? [])], changes.legacy)
}

/** A System transfer that names references. */
export function transfer(from: Wallet, to: WalletAddress, amount: Lamports, references: readonly string[] = []): Instruction {
  const instruction = getTransferSolInstruction({ source: from.signer, destination: address(to), amount })
  const named = references.map((reference) => ({ address: address(reference), role: AccountRole.READONLY }))
  return { ...instruction, accounts: [...instruction.accounts, ...named] }
}

export async function signTransaction(
  world: TradingWorld,
  payer: Wallet,
  instructions: readonly Instruction[],
  legacy = false,
): Promise<SignedPayment> {
  const { blockhash, lastValidBlockHeight } = await world.chain.latestBlockhash()
  const lifetime = { blockhash: asBlockhash(blockhash), lastValidBlockHeight }
  const message = pipe(
    createTransactionMessage({ version: legacy ? 'legacy' : 0 }),
    (draft) => setTransactionMessageFeePayerSigner(payer.signer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  const signed = await signTransactionMessageWithSigners(message)
  const wire = getBase64EncodedWireTransaction(signed)
  // The signature of a signed transaction is its name; kit brands it with a type of its own.
  return { base64: wire, bytes: base64.decode(wire), signature: getSignatureFromTransaction(signed) as string as Signature }
}

/** Sends a transaction past the server, as a wallet does by itself, and waits until the chain has confirmed it. */
export async function sendByWallet(world: TradingWorld, payment: SignedPayment): Promise<Signature> {
  await callRpc(world.rpcUrl, 'sendTransaction', [payment.base64, { encoding: 'base64', skipPreflight: true }])
  await vi.waitFor(async () => {
    const status = (await world.chain.statuses([payment.signature])).get(payment.signature)
    expect(status?.commitment).not.toBe('processed')
    expect(status).toBeDefined()
  }, waiting)
  return payment.signature
}

/** Lets the watcher work until `condition` holds. */
export async function watchUntil(world: TradingWorld, condition: () => Promise<void>): Promise<void> {
  await vi.waitFor(async () => {
    await reconcileOnce(world.deps)
    await condition()
  }, waiting)
}

export async function untilStatus(world: TradingWorld, purchaseId: string, status: Purchase['status']): Promise<void> {
  await watchUntil(world, async () => expect((await readPurchase(world, purchaseId)).status).toBe(status))
}

export async function appleJuice(world: TradingWorld, { address: wallet }: Wallet): Promise<number> {
  return (await readBalances(world.database, wallet)).appleJuice
}

/** The money audit must find nothing, whatever a test did. */
export async function expectAllAddsUp(world: TradingWorld): Promise<void> {
  expect(await runAudit(world.deps)).toMatchObject({ ok: true, violations: [] })
}

/** Makes the time to pay for a hold be over, by the database's clock. */
export async function runOutOfTime(world: TradingWorld, purchaseId: string): Promise<void> {
  await world.connection.pool.query(
    `with ended as (
       update purchases set pay_before = now() - interval '1 second', reconcile_at = now() where id = $1 returning id, pay_before
     ) update listings set held_until = pay_before from ended where held_by = ended.id`,
    [purchaseId],
  )
}

/** The world's real chain but for some of its calls, and all else as it is. */
export function chainBut({ deps }: TradingWorld, changes: Partial<Chain>): PurchaseDeps {
  const chain = new Proxy(deps.chain, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { ...deps, chain }
}

export const waiting = { timeout: 30_000, interval: 50 }

async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const reply: unknown = await response.json()
  if (typeof reply === 'object' && reply !== null && 'error' in reply) throw new Error(`${method}: ${JSON.stringify(reply.error)}`)
}

function asWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Error(`${text} is no wallet`)
  return wallet
}

import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { parseSignature, parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect } from 'vitest'
import { connectDatabase } from '../../../src/database/connect.ts'
import { inTransaction } from '../../../src/database/transact.ts'
import { postStudioOrder } from '../../../src/inventory/post-studio-order.ts'
import { createListing } from '../../../src/listings/change-listings.ts'
import { createFailureLog } from '../../../src/runtime/outage.ts'
import { type FeeTerms } from '../../../src/purchases/purchase/purchase.ts'
import { endHold } from '../../../src/purchases/hold/end-hold.ts'
import { endsUnpaid, type HoldOrder } from '../../../src/purchases/hold/hold.ts'
import { type HeldPurchase } from '../../../src/purchases/hold/hold-store.ts'
import { holdAsRead, type HoldOutcome } from '../../../src/purchases/hold/place-hold.ts'
import { createReferences } from '../../../src/purchases/purchase/reference.ts'
import { readFacts } from '../../../src/purchases/reservation/facts-store.ts'
import { type ReservationDecision } from '../../../src/purchases/reservation/reservation.ts'
import { decideReservation } from '../../../src/purchases/reservation/reservation-decision.ts'
import { type Settlement, settlePurchase } from '../../../src/purchases/settlement/settlement-store.ts'
import { readLedger } from '../../../src/studio/audit/ledger-check-store.ts'
import { collectLog } from '../../runtime/collected-log.ts'
import { FEW_CONNECTIONS } from '../../support/few-connections.ts'
import { freshDatabase } from '../../support/fresh-database.ts'

export const noFee: FeeTerms = { basisPoints: 0, wallet: undefined }
const SOL = 1_000_000_000n

export type StoreMarket = Awaited<ReturnType<typeof openStoreMarket>>

/** The store market of a test file, open from its first test to its last. After that its ledger must add up. */
export function useStoreMarket(): StoreMarket {
  const market = {} as StoreMarket
  beforeAll(async () => void Object.assign(market, await openStoreMarket()))
  afterAll(async () => {
    await expectLedgerAddsUp(market)
    await market.close()
  })
  return market
}

/**
 * A market without a chain, on an empty database: its functions are what the server calls once the chain has answered. Every buyer has
 * more SOL than anything costs. Whoever opens it closes it, after `expectLedgerAddsUp`.
 */
export async function openStoreMarket() {
  const fresh = await freshDatabase()
  const { log } = collectLog()
  const connection = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
  return {
    connection,
    database: connection.database,
    databaseUrl: fresh.url,
    log,
    failures: createFailureLog(log),
    drop: () => fresh.drop(),
    close: async () => {
      await connection.close()
      await fresh.drop()
    },
  }
}

/** A player with so many of each drink. */
export async function addPlayer(market: StoreMarket, tokens = 1_000): Promise<WalletAddress> {
  const walletAddress = await newAddress()
  await market.database.insertInto('players').values({ walletAddress }).execute()
  for (const tokenType of ['APPLE_JUICE', 'ORANGE_JUICE'] as const) {
    const idempotencyKey = `test:${walletAddress}:${tokenType}`
    await postStudioOrder(market, { direction: 'credit', walletAddress, tokenType, amount: tokens, idempotencyKey })
  }
  return walletAddress
}

interface Offer {
  amount?: number
  price?: bigint
  divisible?: boolean
  tokenType?: 'APPLE_JUICE' | 'ORANGE_JUICE'
}

/** Lists drinks for `price` lamports, to be bought in parts unless it says otherwise. Returns the listing's identifier. */
export async function offer({ database }: StoreMarket, seller: WalletAddress, given: Offer = {}): Promise<string> {
  const { amount = 120, price = 7_000_000n, divisible = true, tokenType = 'APPLE_JUICE' } = given
  return (await createListing(database, seller, { tokenType, amount, priceLamports: lamports(price), divisible }))._id
}

/** What an order would get without the chain's answer. */
export async function decideInStore({ database }: StoreMarket, order: HoldOrder, fee: FeeTerms = noFee): Promise<ReservationDecision> {
  const ids = order.items.map(({ listingId }) => listingId)
  return decideReservation(await readFacts(database, order.buyer, ids), { ...order, kind: 'hold', fee })
}

/** Places a hold as the server does, with what the chain would say of a buyer who has enough. */
export function holdInStore({ database }: StoreMarket, order: HoldOrder, fee: FeeTerms = noFee): Promise<HoldOutcome> {
  const deps = { database, references: createReferences(['r'.repeat(32)]), settings: { holdSeconds: 600, walletSends: 'any' } } as const
  // Whatever a seller receives, its account lacks nothing.
  const funds = { spendable: 1_000_000_000n * SOL, networkFee: 5_000n, rentExemptMinimum: 0n, balances: new Map() }
  return holdAsRead(deps, { ...order, kind: 'hold', fee }, { genesisHash: 'genesis', heldAtSlot: 1n, funds })
}

/** The hold that an order got. */
export function heldBy(outcome: HoldOutcome): HeldPurchase {
  if (outcome.kind === 'refused') throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`)
  return outcome.hold
}

/** Delivers a purchase for a payment that carries its reference. */
export function settleInStore({ database }: StoreMarket, id: string, signature = newSignature()): Promise<Settlement> {
  return settlePurchase(database, id, { signature, slot: 2n, transactionBytes: Buffer.alloc(1), expiryHeight: 9n, referenced: true })
}

/** Closes the payment window of an open hold, and ends it as if the chain had proved that no payment came. */
export async function lapseInStore({ database, connection }: StoreMarket, id: string): Promise<void> {
  await closeWindow({ connection }, id)
  await inTransaction(database, (tx) => endHold(tx, id, endsUnpaid))
}

/** Closes the payment window of an open hold. */
export async function closeWindow({ connection }: Pick<StoreMarket, 'connection'>, id: string): Promise<void> {
  await connection.pool.query(
    `update purchases set pay_before = now() - interval '1 second', created_at = created_at - interval '1 hour' where id = $1 and status = 'held'`,
    [id],
  )
}

/** Runs the money audit's check of the ledger, which must find nothing. */
export async function expectLedgerAddsUp({ database }: StoreMarket): Promise<void> {
  const { tokens, violations } = await readLedger(database)
  expect(violations).toEqual([])
  expect(tokens.filter(({ balanced }) => !balanced)).toEqual([])
}

export async function newAddress(): Promise<WalletAddress> {
  const wallet = parseWalletAddress((await generateKeyPairSigner()).address)
  if (!wallet) throw new Error('a public key is an address')
  return wallet
}

export function newSignature(): Signature {
  const signature = parseSignature(base58.encode(randomBytes(64)))
  if (!signature) throw new Error('64 bytes are a signature')
  return signature
}

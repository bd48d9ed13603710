import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { inTransaction } from '../../src/database/transact.ts'
import { postTransfer, readBalances } from '../../src/inventory/ledger-store.ts'
import { insertOrders } from '../../src/inventory/order-store.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { type StudioOrder } from '../../src/inventory/studio-order.ts'
import { createListing } from '../../src/listings/create-listing.ts'
import { removeListing } from '../../src/listings/remove-listing.ts'
import { findViolations, readTokenTotals } from '../../src/studio/audit/ledger-check-store.ts'
import { collectLog } from '../logging/collected-log.ts'
import { newKey } from '../chain/hand-made.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

let fresh: FreshDatabase
let connection: DatabaseConnection

beforeAll(async () => {
  fresh = await freshDatabase()
  connection = connectDatabase(fresh.url, () => undefined)
})

afterEach(async () => {
  expect((await readTokenTotals(connection.database)).every((token) => token.balanced)).toBe(true)
  expect(await findViolations(connection.database)).toEqual([])
})

afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

const { log, lines } = collectLog()
const deps = () => ({ database: connection.database, log })
const newWallet = () => newKey().address as WalletAddress

function order(walletAddress: WalletAddress, changes: Partial<StudioOrder> = {}): StudioOrder {
  return { direction: 'credit', walletAddress, tokenType: 'APPLE_JUICE', amount: 10, idempotencyKey: `key-${Math.random()}`, ...changes }
}

const appleJuice = async (wallet: WalletAddress) => (await readBalances(connection.database, wallet, defaultCatalogue)).appleJuice
const list = (wallet: WalletAddress, amount: number) =>
  createListing(connection.database, wallet, { tokenType: 'APPLE_JUICE', amount, priceLamports: lamports(1_000_000n), divisible: false })

describe('the ledger', () => {
  it('agrees with a model after any sequence of credits, debits, listings and removals', async () => {
    const step = fc.record({
      kind: fc.constantFrom('credit', 'debit', 'list', 'remove'),
      amount: fc.integer({ min: 1, max: 30 }),
      pick: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const wallet = newWallet()
        const listings: { id: string; amount: number }[] = []
        let balance = 0
        for (const { kind, amount, pick } of steps) {
          if (kind === 'credit') {
            await postStudioOrder(deps(), order(wallet, { amount }))
            balance += amount
          } else if (kind === 'remove') {
            const [listing] = listings.splice(pick % Math.max(1, listings.length), 1)
            if (!listing) continue
            await removeListing(connection.database, wallet, listing.id)
            balance += listing.amount
          } else {
            const taking = kind === 'debit' ? postStudioOrder(deps(), order(wallet, { direction: 'debit', amount })) : list(wallet, amount)
            if (amount > balance) {
              await expect(taking).rejects.toMatchObject({ code: 'INSUFFICIENT_TOKENS' })
              continue
            }
            const taken = await taking
            balance -= amount
            if ('_id' in taken) listings.push({ id: taken._id, amount })
          }
          expect(await appleJuice(wallet)).toBe(balance)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('never lets simultaneous listings spend the same tokens', async () => {
    const wallet = newWallet()
    await postStudioOrder(deps(), order(wallet, { amount: 10 }))
    const outcomes = await Promise.allSettled(Array.from({ length: 15 }, () => list(wallet, 3)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3)
    expect(await appleJuice(wallet)).toBe(1)
  })

  it('returns the tokens of a removed listing once, however many requests remove it at the same time', async () => {
    const wallet = newWallet()
    await postStudioOrder(deps(), order(wallet, { amount: 10 }))
    const { _id } = await list(wallet, 10)
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => removeListing(connection.database, wallet, _id)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    expect(await appleJuice(wallet)).toBe(10)
  })

  it('refuses a balance larger than a JSON number can represent exactly', async () => {
    const wallet = newWallet()
    await connection.pool.query(`select post_transfer('credit', 'APPLE_JUICE', 1000000000, $1, null, $2)`, [wallet, `big-${wallet}`])
    await connection.pool.query('update balances set amount = 9000000000000000 where wallet_address = $1', [wallet])
    await expect(postStudioOrder(deps(), order(wallet))).rejects.toMatchObject({ code: 'BALANCE_LIMIT' })
    await connection.pool.query('update balances set amount = 1000000000 where wallet_address = $1', [wallet])
  })

  it.each([
    ['a negative balance', `update balances set amount = -1 where wallet_address = $1`],
    [
      'a second escrow of a listing',
      `insert into transfers (kind, token_type, amount, wallet_address, listing_id)
      select kind, token_type, amount, wallet_address, listing_id from transfers where kind = 'escrow' and wallet_address = $1`,
    ],
    [
      'tokens leaving escrow twice',
      `insert into transfers (kind, token_type, amount, wallet_address, listing_id)
      select k, token_type, amount, wallet_address, listing_id from transfers, unnest(array['sale', 'return']) k
      where kind = 'escrow' and wallet_address = $1`,
    ],
    ['tokens out of nowhere', `insert into transfers (kind, token_type, amount, wallet_address) values ('credit', 'APPLE_JUICE', 1, $1)`],
  ])('the database itself refuses %s', async (_, statement) => {
    const wallet = newWallet()
    await postStudioOrder(deps(), order(wallet))
    await list(wallet, 5)
    await expect(connection.pool.query(statement, [wallet])).rejects.toThrow(/constraint/)
  })
})

describe("the studio's orders", () => {
  it('that take the last tokens get the same answer, however often they are sent at the same time', async () => {
    const wallet = newWallet()
    await postStudioOrder(deps(), order(wallet, { amount: 10 }))
    const last = order(wallet, { direction: 'debit', amount: 10 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => postStudioOrder(deps(), last)))
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
    expect(await appleJuice(wallet)).toBe(0)
  })

  it('move tokens once for each key and get the same answer, even at the same time', async () => {
    const wallet = newWallet()
    const once = order(wallet)
    const answers = await Promise.all(Array.from({ length: 20 }, () => postStudioOrder(deps(), once)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await appleJuice(wallet)).toBe(10)
  })

  it('say the balance that the same order, sent at the same time, has given a new wallet', async () => {
    const once = order(newWallet())
    const waiting = async () =>
      (await connection.pool.query(`select from pg_locks where relation = 'transfers'::regclass and not granted`)).rows.length
    const repeated = await inTransaction(connection.database, async (tx) => {
      await sql`lock table transfers in access exclusive mode`.execute(tx)
      // It has found no balance, and now waits to see whether it was posted before.
      const answer = postStudioOrder(deps(), once)
      await expect.poll(waiting).toBe(1)
      await insertOrders(tx, [once])
      return { answer }
    })
    expect((await repeated.answer).balance).toBe(10)
  })

  it('are one log line each, however often they are sent', async () => {
    const wallet = newWallet()
    const credit = order(wallet)
    const debit = order(wallet, { direction: 'debit', amount: 4 })
    for (const sent of [credit, debit]) await Promise.all(Array.from({ length: 20 }, () => postStudioOrder(deps(), sent)))
    await expect(postStudioOrder(deps(), order(wallet, { direction: 'debit', amount: 7 }))).rejects.toThrow()
    const { idempotencyKey } = credit
    expect(lines.filter((line) => line['wallet'] === wallet)).toMatchObject([
      { level: 30, msg: 'a credit', tokenType: 'APPLE_JUICE', amount: 10, idempotencyKey },
      { level: 30, msg: 'a debit', amount: 4, idempotencyKey: debit.idempotencyKey },
    ])
  })

  it.each<[string, Partial<StudioOrder>]>([
    ['a different amount', { amount: 11 }],
    ['a different direction', { direction: 'debit' }],
    ['a different token', { tokenType: 'GRAPE_SODA' }],
    ['a different wallet', { walletAddress: 'somebody else' as WalletAddress }],
  ])('refuse a used key with %s', async (_, changes) => {
    const first = order(newWallet())
    await postStudioOrder(deps(), first)
    await expect(postStudioOrder(deps(), { ...first, ...changes })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  })
})

describe('an address that nobody can sign with', () => {
  /** An account that a program derived: not on the curve. The System program: a point of order 4. */
  const nobodys = ['Hwemktm3bZx4tGFfqjr3AYUm64jTppUW5D2j67rBrGcq', '11111111111111111111111111111111'] as WalletAddress[]

  it.each(nobodys)('is credited nothing: %s', async (wallet) => {
    await expect(postStudioOrder(deps(), order(wallet))).rejects.toMatchObject({ code: 'WALLET_CANNOT_SIGN' })
    expect(await appleJuice(wallet)).toBe(0)
  })

  it.each(nobodys)('keeps the answers to its earlier credits, and can be debited: %s', async (wallet) => {
    const { direction: kind, ...credit } = order(wallet)
    await inTransaction(connection.database, (tx) => postTransfer(tx, { kind, wallet, ...credit }))
    expect(await postStudioOrder(deps(), { direction: 'credit', ...credit })).toMatchObject(credit)
    expect(await postStudioOrder(deps(), order(wallet, { direction: 'debit' }))).toMatchObject({ direction: 'debit' })
    expect(await appleJuice(wallet)).toBe(0)
  })
})

describe('listings', () => {
  it('can be removed only by their seller, and only while they are active', async () => {
    const wallet = newWallet()
    await postStudioOrder(deps(), order(wallet))
    const { _id } = await list(wallet, 4)
    await expect(removeListing(connection.database, newWallet(), _id)).rejects.toMatchObject({ code: 'NOT_YOUR_LISTING' })
    await expect(removeListing(connection.database, wallet, 'nothing')).rejects.toMatchObject({ code: 'LISTING_NOT_FOUND' })
    await expect(removeListing(connection.database, wallet, '00000000-0000-7000-8000-000000000000')).rejects.toMatchObject({
      code: 'LISTING_NOT_FOUND',
    })
    await removeListing(connection.database, wallet, _id)
    await expect(removeListing(connection.database, wallet, _id)).rejects.toMatchObject({ code: 'LISTING_NOT_ACTIVE' })
  })
})

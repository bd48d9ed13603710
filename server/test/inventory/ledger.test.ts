import { randomUUID } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { inTransaction } from '../../src/database/transact.ts'
import { postTransfer, readBalances, insertOrders } from '../../src/inventory/ledger-store.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { type StudioOrder } from '../../src/inventory/studio-order.ts'
import { createListing, removeListing } from '../../src/listings/change-listings.ts'
import { type ListingDraft } from '../../src/listings/listing.ts'
import { deleteOldKeys } from '../../src/listings/listing-store.ts'
import { findViolations, readTokenTotals } from '../../src/studio/audit/ledger-check-store.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { newKey } from '../chain/transactions/hand-made.ts'
import { useDatabase } from '../support/fresh-database.ts'

const opened = useDatabase()

afterEach(async () => {
  expect((await readTokenTotals(opened.database)).every((token) => token.balanced)).toBe(true)
  expect(await findViolations(opened.database)).toEqual([])
})

const { log, lines } = collectLog()
const newWallet = () => newKey().address as WalletAddress
const post = (order: StudioOrder) => postStudioOrder({ database: opened.database, log }, order)
/** A new wallet, with ten apple juices. */
async function creditedWallet(): Promise<WalletAddress> {
  const wallet = newWallet()
  await post(order(wallet))
  return wallet
}
const succeeded = (outcomes: readonly PromiseSettledResult<unknown>[]) => outcomes.filter(({ status }) => status === 'fulfilled')

function order(walletAddress: WalletAddress, changes: Partial<StudioOrder> = {}): StudioOrder {
  return { direction: 'credit', walletAddress, tokenType: 'APPLE_JUICE', amount: 10, idempotencyKey: `key-${Math.random()}`, ...changes }
}

const appleJuice = async (wallet: WalletAddress) => (await readBalances(opened.database, wallet, defaultCatalogue)).appleJuice
const list = (wallet: WalletAddress, amount: number) =>
  createListing(opened.database, wallet, { tokenType: 'APPLE_JUICE', amount, priceLamports: lamports(1_000_000n), divisible: false })

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
            await post(order(wallet, { amount }))
            balance += amount
          } else if (kind === 'remove') {
            const [listing] = listings.splice(pick % Math.max(1, listings.length), 1)
            if (!listing) continue
            await removeListing(opened.database, wallet, listing.id)
            balance += listing.amount
          } else {
            const taking = kind === 'debit' ? post(order(wallet, { direction: 'debit', amount })) : list(wallet, amount)
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
    const wallet = await creditedWallet()
    const outcomes = await Promise.allSettled(Array.from({ length: 15 }, () => list(wallet, 3)))
    expect(succeeded(outcomes)).toHaveLength(3)
    expect(await appleJuice(wallet)).toBe(1)
  })

  it('returns the tokens of a removed listing once, however many requests remove it at the same time', async () => {
    const wallet = await creditedWallet()
    const { _id } = await list(wallet, 10)
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => removeListing(opened.database, wallet, _id)))
    expect(succeeded(outcomes)).toHaveLength(1)
    expect(await appleJuice(wallet)).toBe(10)
  })

  it('refuses a balance larger than a JSON number can represent exactly', async () => {
    const wallet = newWallet()
    await opened.pool.query(`select post_transfer('credit', 'APPLE_JUICE', 1000000000, $1, null, $2)`, [wallet, `big-${wallet}`])
    await opened.pool.query('update balances set amount = 9000000000000000 where wallet_address = $1', [wallet])
    await expect(post(order(wallet))).rejects.toMatchObject({ code: 'BALANCE_LIMIT' })
    await opened.pool.query('update balances set amount = 1000000000 where wallet_address = $1', [wallet])
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
    const wallet = await creditedWallet()
    await list(wallet, 5)
    await expect(opened.pool.query(statement, [wallet])).rejects.toThrow(/constraint/)
  })
})

describe("the studio's orders", () => {
  it('that take the last tokens get the same answer, however often they are sent at the same time', async () => {
    const wallet = await creditedWallet()
    const last = order(wallet, { direction: 'debit', amount: 10 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(last)))
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
    expect(await appleJuice(wallet)).toBe(0)
  })

  it('move tokens once for each key and get the same answer, even at the same time', async () => {
    const wallet = newWallet()
    const once = order(wallet)
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(once)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await appleJuice(wallet)).toBe(10)
  })

  it('say the balance that the same order, sent at the same time, has given a new wallet', async () => {
    const once = order(newWallet())
    const waiting = async () =>
      (await opened.pool.query(`select from pg_locks where relation = 'transfers'::regclass and not granted`)).rows.length
    const repeated = await inTransaction(opened.database, async (tx) => {
      await sql`lock table transfers in access exclusive mode`.execute(tx)
      // It has found no balance, and now waits to see whether it was posted before.
      const answer = post(once)
      await expect.poll(waiting).toBe(1)
      await insertOrders(tx, '', [once])
      return { answer }
    })
    expect((await repeated.answer).balance).toBe(10)
  })

  it('are one log line each, however often they are sent', async () => {
    const wallet = newWallet()
    const credit = order(wallet)
    const debit = order(wallet, { direction: 'debit', amount: 4 })
    for (const sent of [credit, debit]) await Promise.all(Array.from({ length: 20 }, () => post(sent)))
    await expect(post(order(wallet, { direction: 'debit', amount: 7 }))).rejects.toThrow()
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
    await post(first)
    await expect(post({ ...first, ...changes })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  })
})

describe('an address that nobody can sign with', () => {
  /** An account that a program derived: not on the curve. The System program: a point of order 4. */
  const nobodys = ['Hwemktm3bZx4tGFfqjr3AYUm64jTppUW5D2j67rBrGcq', '11111111111111111111111111111111'] as WalletAddress[]

  it.each(nobodys)('is credited nothing: %s', async (wallet) => {
    await expect(post(order(wallet))).rejects.toMatchObject({ code: 'WALLET_CANNOT_SIGN' })
    expect(await appleJuice(wallet)).toBe(0)
  })

  it.each(nobodys)('keeps the answers to its earlier credits, and can be debited: %s', async (wallet) => {
    const { direction: kind, ...credit } = order(wallet)
    await inTransaction(opened.database, (tx) => postTransfer(tx, { kind, wallet, ...credit }))
    expect(await post({ direction: 'credit', ...credit })).toMatchObject(credit)
    expect(await post(order(wallet, { direction: 'debit' }))).toMatchObject({ direction: 'debit' })
    expect(await appleJuice(wallet)).toBe(0)
  })
})

describe('an address of the network itself', () => {
  it.each([
    ['11111111111111111111111111111111', 'the System program'],
    ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'the Token program'],
    ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'the Associated Token program'],
    ['So11111111111111111111111111111111111111112', 'the mint of wrapped SOL'],
    ['Stake11111111111111111111111111111111111111', 'the Stake program'],
    ['SysvarRecentB1ockHashes11111111111111111111', 'a sysvar'],
    ['Feature111111111111111111111111111111111111', 'an address reserved by Solana'],
  ])('is credited nothing, and called by its name: %s', async (wallet, name) => {
    await expect(post(order(wallet as WalletAddress))).rejects.toMatchObject({
      code: 'WALLET_CANNOT_SIGN',
      message: `Nobody can sign with this address (${name}), so nobody could ever use these tokens.`,
    })
  })

  it('is credited once someone has signed in with it', async () => {
    const walletAddress = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo' as WalletAddress
    await opened.database.insertInto('players').values({ walletAddress }).execute()
    await post(order(walletAddress))
    expect(await appleJuice(walletAddress)).toBe(10)
  })
})

describe('listings', () => {
  it('can be removed only by their seller, and only while they are active', async () => {
    const wallet = await creditedWallet()
    const { _id } = await list(wallet, 4)
    const remove = (id: string, by = wallet) => removeListing(opened.database, by, id)
    await expect(remove(_id, newWallet())).rejects.toMatchObject({ code: 'NOT_YOUR_LISTING' })
    for (const id of ['nothing', '00000000-0000-7000-8000-000000000000'])
      await expect(remove(id)).rejects.toMatchObject({ code: 'LISTING_NOT_FOUND' })
    await remove(_id)
    await expect(remove(_id)).rejects.toMatchObject({ code: 'LISTING_NOT_ACTIVE' })
  })
})

describe('a listing asked for with an idempotency key', () => {
  let seller: WalletAddress
  let idempotencyKey: string
  beforeEach(async () => {
    seller = await creditedWallet()
    idempotencyKey = randomUUID()
  })

  const draft: ListingDraft = { tokenType: 'APPLE_JUICE', amount: 10, priceLamports: lamports(500_000_000n), divisible: false }
  const create = (changes: Partial<ListingDraft> = {}, by = seller, key = idempotencyKey) =>
    createListing(opened.database, by, { ...draft, ...changes }, { idempotencyKey: key })
  it('is put up once, however often and by how many at once it is asked for', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => create()))
    expect(new Set(all.map(({ _id }) => _id)).size).toBe(1)
    expect(await appleJuice(seller)).toBe(0)
    expect((await create())._id).toBe(all[0]?._id)
  })

  it('is returned as it is now', async () => {
    const { _id } = await create()
    await removeListing(opened.database, seller, _id)
    expect(await create()).toMatchObject({ _id, status: 'removed' })
    expect(await appleJuice(seller)).toBe(10)
  })

  it.each([{ amount: 9 }, { priceLamports: lamports(501_000_000n) }, { tokenType: 'GRAPE_SODA' as const }, { divisible: true }])(
    'is refused if the key belongs to another offer: %o',
    async (changes) => {
      await create()
      await expect(create(changes)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    },
  )

  it('does not use the key up if it is refused', async () => {
    await expect(create({ amount: 11 })).rejects.toMatchObject({ code: 'INSUFFICIENT_TOKENS' })
    expect(await create()).toMatchObject({ status: 'active', amount: 10 })
  })

  it('has nothing to do with the same key of another seller', async () => {
    const other = await creditedWallet()
    const [one, two] = [await create(), await create({}, other)]
    expect(two).toMatchObject({ seller: other })
    expect(two._id).not.toBe(one._id)
  })

  it('is known by its key for a day', async () => {
    const { _id } = await create({ amount: 1 })
    const grow = async (hours: number) => {
      await opened.pool.query(`update listing_keys set created_at = now() - make_interval(hours => $1) where listing_id = $2`, [hours, _id])
      await deleteOldKeys(opened.database)
    }
    await grow(23)
    expect((await create({ amount: 1 }))._id).toBe(_id)
    await grow(25)
    expect((await create({ amount: 1 }))._id).not.toBe(_id)
  })
})

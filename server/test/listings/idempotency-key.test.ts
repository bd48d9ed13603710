import { randomUUID } from 'node:crypto'

import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { readBalances } from '../../src/inventory/ledger-store.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { createListing } from '../../src/listings/create-listing.ts'
import { type ListingDraft } from '../../src/listings/listing.ts'
import { deleteOldKeys } from '../../src/listings/listing-key-store.ts'
import { removeListing } from '../../src/listings/remove-listing.ts'
import { newKey } from '../chain/hand-made.ts'
import { collectLog } from '../logging/collected-log.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

let fresh: FreshDatabase
let connection: DatabaseConnection
let seller: WalletAddress
let idempotencyKey: string

beforeAll(async () => {
  fresh = await freshDatabase()
  connection = connectDatabase(fresh.url, () => undefined)
})

beforeEach(async () => {
  seller = await newSeller()
  idempotencyKey = randomUUID()
})

afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

async function newSeller(): Promise<WalletAddress> {
  const walletAddress = newKey().address as WalletAddress
  const { database } = connection
  const { log } = collectLog()
  await postStudioOrder(
    { database, log },
    {
      direction: 'credit',
      walletAddress,
      tokenType: 'APPLE_JUICE',
      amount: 10,
      idempotencyKey: randomUUID(),
    },
  )
  return walletAddress
}

const draft: ListingDraft = { tokenType: 'APPLE_JUICE', amount: 10, priceLamports: lamports(500_000_000n), divisible: false }
const create = (changes: Partial<ListingDraft> = {}, by = seller, key = idempotencyKey) =>
  createListing(connection.database, by, { ...draft, ...changes }, { idempotencyKey: key })
const appleJuice = async () => (await readBalances(connection.database, seller, defaultCatalogue)).appleJuice

describe('a listing asked for with an idempotency key', () => {
  it('is put up once, however often and by how many at once it is asked for', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => create()))
    expect(new Set(all.map(({ _id }) => _id)).size).toBe(1)
    expect(await appleJuice()).toBe(0)
    expect((await create())._id).toBe(all[0]?._id)
  })

  it('is returned as it is now', async () => {
    const { _id } = await create()
    await removeListing(connection.database, seller, _id)
    expect(await create()).toMatchObject({ _id, status: 'removed' })
    expect(await appleJuice()).toBe(10)
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
    const other = await newSeller()
    const [one, two] = [await create(), await create({}, other)]
    expect(two).toMatchObject({ seller: other })
    expect(two._id).not.toBe(one._id)
  })

  it('is known by its key for a day', async () => {
    const { _id } = await create({ amount: 1 })
    const age = (hours: number) =>
      connection.pool.query(`update listing_keys set created_at = now() - make_interval(hours => $1) where listing_id = $2`, [hours, _id])
    await age(23)
    await deleteOldKeys(connection.database)
    expect((await create({ amount: 1 }))._id).toBe(_id)
    await age(25)
    await deleteOldKeys(connection.database)
    expect((await create({ amount: 1 }))._id).not.toBe(_id)
  })
})

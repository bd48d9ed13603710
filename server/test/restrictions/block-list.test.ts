import { type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { blockCursor, parseBlockCursor } from '../../src/restrictions/block.ts'
import { readBlocks } from '../../src/studio/restrictions/read-blocks.ts'
import { recordBlock, recordUnblock } from '../../src/studio/restrictions/record-block.ts'
import { createWallet } from '../sign-in/wallet.ts'
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.ts'

const numRuns = inject('propertyRuns')

let fresh: FreshDatabase
let connection: DatabaseConnection

beforeAll(async () => {
  fresh = await freshDatabase()
  connection = connectDatabase(fresh.url, () => undefined)
})
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

const newAddress = () => createWallet().address as WalletAddress
const readPage = (limit = 50, cursor?: string) => readBlocks(connection.database, { cursor, limit })

/** All pages, by their cursors. */
async function readAll(limit: number): Promise<string[]> {
  const wallets: string[] = []
  let cursor: string | undefined
  do {
    const page = await readPage(limit, cursor)
    expect(page.blocks.length).toBeLessThanOrEqual(limit)
    wallets.push(...page.blocks.map(({ walletAddress }) => walletAddress))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return wallets
}

it('says who is blocked, why, since when, until when and by whom', async () => {
  await connection.pool.query('delete from blocks')
  expect(await readPage()).toEqual({ blocks: [], nextCursor: null })
  const [one, other] = [newAddress(), newAddress()]
  const until = new Date('2099-01-31T12:00:00Z')
  await recordBlock(connection.database, { wallet: one, reason: 'Three refunds', until, removeListings: false, actor: 'root key' })
  await recordBlock(connection.database, { wallet: other, reason: 'Bots', until: null, removeListings: true, actor: one })
  const since = expect.any(String)
  expect(await readPage()).toEqual({
    blocks: [
      { walletAddress: other, reason: 'Bots', until: null, removeListings: true, since, actor: one },
      { walletAddress: one, reason: 'Three refunds', until: until.toISOString(), removeListings: false, since, actor: 'root key' },
    ],
    nextCursor: null,
  })
  await recordUnblock(connection.database, { wallet: other, reason: 'They are none', actor: 'root key' })
  expect((await readPage()).blocks.map(({ walletAddress }) => walletAddress)).toEqual([one])
  await connection.pool.query('update blocks set until = now()')
  expect((await readPage()).blocks).toEqual([])
})

it('has each block once, the latest first, however long the pages are', async () => {
  const start = Date.parse('2030-01-31T12:00:00Z')
  // Some at the same moment, some a microsecond apart, which is less than JavaScript can tell.
  const blocks = fc.array(fc.record({ micros: fc.integer({ min: 0, max: 3 }), ended: fc.boolean() }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(blocks, fc.integer({ min: 1, max: 5 }), async (wanted, limit) => {
      await connection.pool.query('delete from blocks')
      const made = wanted.map(({ micros, ended }) => ({ wallet: newAddress(), micros, ended }))
      for (const { wallet, micros, ended } of made) {
        await connection.pool.query(
          `insert into blocks (wallet_address, reason, until, takes_listings, actor, since)
           values ($1, 'x', case when $2 then now() end, false, 'x', $3::timestamptz + $4 * interval '1 microsecond')`,
          [wallet, ended, new Date(start), micros],
        )
      }
      const expected = made
        .filter(({ ended }) => !ended)
        .toSorted((a, b) => b.micros - a.micros || (a.wallet < b.wallet ? -1 : 1))
        .map(({ wallet }) => wallet)
      expect(await readAll(limit)).toEqual(expected)
    }),
    { numRuns, endOnFailure: true },
  )
})

it('reads its own cursors', () => {
  const position = { sinceMicros: 1_896_091_200_123_456n, wallet: newAddress() }
  expect(parseBlockCursor(blockCursor(position))).toEqual(position)
})

const wallet = newAddress()
it.each(['', 'x', '1', `1.${wallet}x`, `-1.${wallet}`, `1.5.${wallet}`, `1e3.${wallet}`, `${'9'.repeat(18)}.${wallet}`, `1.${wallet}.`])(
  'refuses the cursor %j',
  (cursor) => {
    expect(() => parseBlockCursor(cursor)).toThrow(expect.objectContaining({ code: 'CURSOR_INVALID' }))
  },
)

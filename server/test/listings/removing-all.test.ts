import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_BALANCE } from '@juicebar/contract/limits'
import { changePrice } from '../../src/listings/change-price.ts'
import { removeListings } from '../../src/listings/change-listings.ts'
import { findListing, listOwnListings } from '../../src/listings/listing-store.ts'
import { lamports } from '@juicebar/contract/money'
import { useTradingWorld } from '../purchases/trading-world.ts'

const SOL = 1_000_000_000n

const world = useTradingWorld()
beforeEach(async () => void (world.seller = await world.createWallet()))

const removeAll = () => removeListings(world.database, world.seller.address)
const statusOf = async (id: string) => (await findListing(world.database, id))?.status

describe('removing all listings', () => {
  it('returns their drinks, can be repeated, and leaves those of others', async () => {
    const [ids, other] = [[await world.list(), await world.list()], await world.list(world.rival)]
    expect(await removeAll()).toEqual({ removed: 2, kept: [] })
    expect(await Promise.all(ids.map(statusOf))).toEqual(['removed', 'removed'])
    expect(await world.appleJuice(world.seller)).toBe(1_000)
    expect(await removeAll()).toEqual({ removed: 0, kept: [] })
    expect(await statusOf(other)).toBe('active')
  })

  it('keeps what is being bought, and says so', async () => {
    const [held, reserved, free] = [await world.list(), await world.list(), await world.list()]
    await world.hold(world.rival, held)
    const purchase = await world.buyCoSigned(world.buyer, [{ listingId: reserved }])
    const code = 'LISTING_HELD_BY_BUYER'
    expect(await removeAll()).toEqual({
      removed: 1,
      kept: [
        { listingId: held, code },
        { listingId: reserved, code },
      ],
    })
    expect(await statusOf(free)).toBe('removed')
    await world.untilStatus(purchase, 'settled')
  })

  it('takes the rest of a listing of which parts are being bought, and counts it as removed', async () => {
    const id = await world.list(world.seller, { amount: 10, price: SOL, divisible: true })
    const [first, second] = [await take(id, 4), await take(id, 1)]
    await changePrice(world.database, { seller: world.seller.address, listingId: id, price: lamports(2n * SOL) })
    expect(await removeAll()).toEqual({ removed: 1, kept: [] })
    expect(await world.appleJuice(world.seller)).toBe(995)
    // What buyers hold is now on the market by itself.
    const parts = [first, second].map(({ items }) => ({ listingId: items[0]?.listingId, code: 'LISTING_HELD_BY_BUYER' }))
    expect(await removeAll()).toEqual({ removed: 0, kept: parts })
    await world.cancel(world.buyer, first)
    expect(await world.appleJuice(world.seller)).toBe(999)
    await world.payByWallet(world.rival, second)
    await world.untilStatus(second, 'settled')
  })

  it('keeps everything while the studio looks into a lost payment to the seller', async () => {
    const id = await world.list()
    const { pool } = world.connection
    await pool.query(
      `insert into cases (kind, signature, buyer, genesis_hash, paid_at_slot, seller, lamports, fee_lamports, deliverable)
       values ('lost', $1, $2, 'genesis', 1, $3, 1000000, 0, false)`,
      [`lost ${id}`, world.buyer.address, world.seller.address],
    )
    expect(await removeAll()).toEqual({ removed: 0, kept: [{ listingId: id, code: 'LISTING_FROZEN' }] })
    await pool.query('delete from cases where signature = $1', [`lost ${id}`])
    expect(await removeAll()).toEqual({ removed: 1, kept: [] })
  })

  it('keeps what the balance has no room for, and removes the rest', async () => {
    const list = (amount: number) => world.list(world.seller, { amount })
    const ids = [await list(10), await list(11), await list(5)]
    await setAppleJuice(MAX_BALANCE - 15)
    expect(await removeAll()).toEqual({ removed: 2, kept: [{ listingId: ids[1], code: 'BALANCE_LIMIT' }] })
    expect(await Promise.all(ids.map(statusOf))).toEqual(['removed', 'active', 'removed'])
    await setAppleJuice(989)
    await removeAll()
  })

  it('removes five thousand in batches, while others are bought', async () => {
    await world.connection.pool.query(
      `with listed as (
         insert into listings (seller, token_type, amount, price_lamports)
         select $1, 'APPLE_JUICE', 1, 1000000 + 1000000 * (n % 7) from generate_series(1, 5000) n returning id
       ), credited as (
         insert into transfers (kind, token_type, amount, wallet_address, idempotency_key) values ('credit', 'APPLE_JUICE', 5000, $1, $1 || ' more')
       )
       insert into transfers (kind, token_type, amount, wallet_address, listing_id) select 'escrow', 'APPLE_JUICE', 1, $1, id from listed`,
      [world.seller.address],
    )
    const [newest] = await listOwnListings(world.database, world.seller.address, 'active')
    const buying = world.hold(world.buyer, newest?._id ?? '')
    const [{ removed, kept }, purchase] = await Promise.all([removeAll(), buying])
    expect({ removed, kept }).toEqual({ removed: 4_999, kept: [{ listingId: newest?._id, code: 'LISTING_HELD_BY_BUYER' }] })
    expect(await world.appleJuice(world.seller)).toBe(5_999)
    await world.cancel(world.buyer, purchase)
    const { rows } = await world.connection.pool.query<{ transactions: number }>(
      `select count(distinct xmin::text)::integer as transactions from listings where seller = $1 and status = 'removed'`,
      [world.seller.address],
    )
    expect(rows[0]?.transactions).toBe(50)
  })
})

function take(listingId: string, amount: number) {
  return world.holdItems(amount > 1 ? world.buyer : world.rival, [{ listingId, amount }])
}

/** By a correction outside the ledger, which its caller takes back. */
async function setAppleJuice(amount: number): Promise<void> {
  await world.connection.pool.query('update balances set amount = $1 where wallet_address = $2', [amount, world.seller.address])
}

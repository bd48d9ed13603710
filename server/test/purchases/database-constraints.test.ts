import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { removeListing } from '../../src/listings/remove-listing.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import {
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from './trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

describe('the database itself refuses', () => {
  const query = (text: string, values: unknown[]) => world.connection.pool.query(text, values)
  const violating = (constraint: string) => expect.objectContaining({ constraint })

  it("a listing's tokens leaving or entering escrow twice", async () => {
    const listingId = await list(world, seller)
    await removeListing(world.database, seller.address, listingId)
    const post = (kind: string) => query('select post_transfer($1, $2, 10, $3, $4)', [kind, 'APPLE_JUICE', seller.address, listingId])
    await expect(post('return')).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(post('sale')).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(post('escrow')).rejects.toEqual(violating('transfers_into_escrow'))
  })

  it('a second hold or sale of a listing, an ambiguous hold, and a second recorded payment', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(chainBut(world, { broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    await expect(query('update listings set held_by = new_id() where id = $1', [purchase.listingId])).rejects.toMatchObject({
      code: 'JB003',
    })
    const copy = `insert into purchases (buyer, sellers, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, status, signature, settled_at)
       select buyer, sellers, price_lamports, gen_random_uuid(), genesis_hash, held_at_slot, true, pay_before, $2, $3, case when $2 = 'settled' then now() end
       from purchases where id = $1`
    await expect(query(copy, [purchase.purchaseId, 'held', null])).rejects.toEqual(violating('purchases_no_ambiguous_holds'))
    const again = query(
      `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
       select 'another', kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status from payments where signature = $1`,
      [payment.signature],
    )
    await expect(again).rejects.toEqual(violating('payments_one_recorded'))
    await untilStatus(world, purchase.purchaseId, 'settled')
    const sale = query('select post_transfer($1, $2, 10, $3, $4)', ['sale', 'APPLE_JUICE', buyer.address, purchase.listingId])
    await expect(sale).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(query(copy, [purchase.purchaseId, 'settled', payment.signature])).rejects.toEqual(violating('purchases_signature_key'))
  })
})

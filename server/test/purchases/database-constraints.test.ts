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
    const other = await list(world, seller, { price: BigInt(purchase.lamports) })
    const copy = (listingId: string, buyerAddress: string) =>
      query(
        `insert into purchases (listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before)
         select $2, $3, seller, token_type, amount, price_lamports, gen_random_uuid(), genesis_hash, held_at_slot, true, pay_before from purchases where id = $1`,
        [purchase.purchaseId, listingId, buyerAddress],
      )
    await expect(copy(purchase.listingId, seller.address + '2')).rejects.toEqual(violating('purchases_one_hold_a_listing'))
    await expect(copy(other, buyer.address)).rejects.toEqual(violating('purchases_no_ambiguous_holds'))
    const again = query(
      `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
       select 'another', kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status from payments where signature = $1`,
      [payment.signature],
    )
    await expect(again).rejects.toEqual(violating('payments_one_recorded'))
    await untilStatus(world, purchase.purchaseId, 'settled')
    const settled = `insert into purchases
       (listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, status, signature, settled_at)
       select $2, buyer, seller, token_type, amount, price_lamports, gen_random_uuid(), genesis_hash, held_at_slot, true, pay_before, 'settled', $3, now()
       from purchases where id = $1`
    await expect(query(settled, [purchase.purchaseId, purchase.listingId, 'another'])).rejects.toEqual(
      violating('purchases_one_sale_a_listing'),
    )
    await expect(query(settled, [purchase.purchaseId, other, payment.signature])).rejects.toEqual(violating('purchases_signature_key'))
  })
})

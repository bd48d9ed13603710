import { describe, expect, it } from 'vitest'

import { refusal, useTradingWorld } from './trading-world.ts'

const world = useTradingWorld()

describe('a purchase whose payment the server broadcasts', () => {
  it('moves SOL and tokens exactly once', async () => {
    const listingId = await world.list(world.seller, { amount: 7, price: 20_000_000n })
    const [solBefore, tokensBefore] = [
      await world.chain.balance(world.seller.address, { fresh: true }),
      await world.appleJuice(world.buyer),
    ]
    const purchase = await world.hold(world.buyer, listingId)
    const payment = await world.signPayment(world.buyer, purchase)

    expect(await world.submit(world.buyer, purchase, payment)).toBe(payment.signature)
    await world.untilStatus(purchase, 'settled')

    expect(await world.chain.balance(world.seller.address, { fresh: true })).toBe(solBefore + 20_000_000n)
    expect(await world.appleJuice(world.buyer)).toBe(tokensBefore + 7)
    const confirmed = await world.confirm(world.buyer, listingId, payment.signature)
    expect(confirmed).toMatchObject({ purchase: { id: purchase.purchaseId }, settled: true })
    expect(await world.submit(world.buyer, purchase, payment)).toBe(payment.signature)
    expect(await world.appleJuice(world.buyer)).toBe(tokensBefore + 7)
  })

  it('refuses a second, different payment before it is broadcast', async () => {
    const purchase = await world.holdNew()
    const first = await world.signPayment(world.buyer, purchase)
    const second = await world.signPayment(world.buyer, purchase, { version: 'legacy' })
    await world.submit(world.buyer, purchase, first)
    await expect(world.submit(world.buyer, purchase, second)).rejects.toEqual(
      expect.objectContaining({ code: expect.stringMatching(/PAYMENT_DIFFERS|HOLD_ENDED/) }),
    )
    await world.untilStatus(purchase, 'settled')
  })

  it('can be cancelled at once', async () => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId)
    await expect(world.remove(listingId)).rejects.toEqual(refusal('LISTING_HELD_BY_BUYER'))
    await world.cancel(world.buyer, purchase)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'cancelled' })
    await expect(world.remove(listingId)).resolves.toMatchObject({ status: 'removed' })
  })

  it('ends as soon as its payment window closes if no payment was submitted', async () => {
    const purchase = await world.holdNew()
    await world.closePaymentWindow(purchase)
    const late = await world.signPayment(world.buyer, purchase)
    await expect(world.submit(world.buyer, purchase, late)).rejects.toEqual(refusal('HOLD_ENDED'))
    await world.untilStatus(purchase, 'ended')
    expect((await world.read(purchase.purchaseId)).endReason).toBe('lapsed')
  })
})

describe('a purchase by a client that knows only the specification', () => {
  it('is settled by an unreferenced transfer when the client confirms it', async () => {
    const listingId = await world.list(world.seller, { amount: 3, price: 30_000_000n })
    const purchase = await world.hold(world.buyer, listingId)
    const before = await world.appleJuice(world.buyer)
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    expect(await world.confirm(world.buyer, listingId, signature)).toMatchObject({ settled: true })
    expect(await world.appleJuice(world.buyer)).toBe(before + 3)
  })

  it('is settled by an unreferenced transfer even if the client never comes back', async () => {
    const purchase = await world.holdNew(world.buyer)
    await world.payByWallet(world.buyer, purchase, { references: [] })
    await world.makeBuyerScansDue()
    await world.untilStatus(purchase, 'settled')
  })

  it('stays unsettled while the chain does not know the confirmed transaction', async () => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId)
    const unsent = await world.signPayment(world.buyer, purchase, { references: [] })
    expect(await world.confirm(world.buyer, listingId, unsent.signature)).toMatchObject({ settled: false })
    await world.sendByWallet(unsent)
    expect(await world.confirm(world.buyer, listingId, unsent.signature)).toMatchObject({ settled: true })
  })
})

describe('on another chain than that of the hold', () => {
  const elsewhere = () => world.withChain({ genesisHash: async () => 'another chain' })

  it('a payment settles nothing', async () => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId)
    const signature = await world.payByWallet(world.buyer, purchase)
    await expect(elsewhere().confirm(world.buyer, listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await world.confirm(world.buyer, listingId, signature)).toMatchObject({ settled: true })
  })

  it('no payment can be submitted', async () => {
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    await expect(elsewhere().submit(world.buyer, purchase, payment)).rejects.toEqual(refusal('HOLD_ENDED'))
    await world.cancel(world.buyer, purchase)
  })

  it('a hold ends, and its listing is free', async () => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId)
    await world.makeDue(purchase)
    await elsewhere().reconcileOnce()
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'chain_gone' })
    expect(await world.remove(listingId)).toMatchObject({ status: 'removed' })
  })

  it('no hold ends because that chain shows no payment', async () => {
    const purchase = await world.holdNew(world.buyer)
    await world.payByWallet(world.buyer, purchase)
    await world.connection.pool.query(`update purchases set pay_before = now(), release_height = 0, reconcile_at = now() where id = $1`, [
      purchase.purchaseId,
    ])
    const nothing = { kind: 'part' as const, entries: [], older: undefined, pages: 1 }
    const empty = { endpoint: 'other', history: async () => nothing, statusOf: async () => undefined }
    const blind = world.withChain({
      recentSignatures: async () => [],
      finalized: async () => ({ genesisHash: 'another chain', slot: 1_000_000n, height: 1_000_000n, ...empty }),
    })
    await blind.expectStillHeld(purchase)
    await world.untilStatus(purchase, 'settled')
  })
})

describe('the database itself refuses', () => {
  const query = (text: string, values: unknown[]) => world.connection.pool.query(text, values)
  const violating = (constraint: string) => expect.objectContaining({ constraint })

  it("a listing's tokens leaving or entering escrow twice", async () => {
    const listingId = await world.list()
    await world.remove(listingId)
    const post = (kind: string) => query('select post_transfer($1, $2, 10, $3, $4)', [kind, 'APPLE_JUICE', world.seller.address, listingId])
    await expect(post('return')).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(post('sale')).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(post('escrow')).rejects.toEqual(violating('transfers_into_escrow'))
  })

  it('a second hold or sale of a listing, an ambiguous hold, and a second recorded payment', async () => {
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    await world.withChain({ broadcast: async () => undefined }).submit(world.buyer, purchase, payment)
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
    await world.untilStatus(purchase, 'settled')
    const sale = query('select post_transfer($1, $2, 10, $3, $4)', ['sale', 'APPLE_JUICE', world.buyer.address, purchase.listingId])
    await expect(sale).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(query(copy, [purchase.purchaseId, 'settled', payment.signature])).rejects.toEqual(violating('purchases_signature_key'))
  })
})

import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_REFUSED_PAYMENTS } from '@juicebar/contract/limits'
import { lamports } from '@juicebar/contract/money'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { UnconfirmedCommitError } from '../../../src/database/hosts.ts'
import { PooledConnection } from '../../../src/database/database-pool.ts'
import { withOtherSignature } from './co-signed-transactions.ts'
import { refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()
/** What was refused and what was bought count for each wallet: none of them has bought before. */
beforeEach(() => vi.restoreAllMocks())

const listed = async (amount = 10) => [{ listingId: await world.list(world.seller, { amount, divisible: true }) }]
const part = async (amount: number) => [{ ...(await listed())[0]!, amount }]

/** A wallet that has bought before, so that it may have more than one payment under way, with a little less than 0.2 SOL. */
async function boughtBefore(): Promise<Wallet> {
  const buyer = await world.createWallet({ sol: 200_000_000n })
  const items = [{ listingId: await world.list(world.seller, { price: 1_000_000n }) }]
  await world.untilStatus(await world.buyCoSigned(buyer, items), 'settled')
  return buyer
}

/** Looks at a purchase whose payment should have landed. */
async function reconcileOverdue(purchaseId: string): Promise<void> {
  const older = "update payments set created_at = created_at - interval '12 seconds' where purchase_id = $1"
  await world.connection.pool.query(older, [purchaseId])
  await world.makeDue({ purchaseId })
  await world.reconcileOnce()
}

/** Waits until a payment is in a past slot. */
async function landed({ purchaseId }: { purchaseId: string }): Promise<Signature> {
  await world.mine(2)
  const signature = (await world.read(purchaseId)).signature! as Signature
  await vi.waitFor(async () => expect((await world.chain.statuses([signature])).has(signature)).toBe(true))
  await world.mine(2)
  return signature
}

async function endOf(purchaseId: string): Promise<unknown> {
  const { rows } = await world.connection.pool.query('select end_reason, unfunded from purchases where id = $1', [purchaseId])
  return rows[0]
}

describe('a payment that only the market can send', () => {
  it('is reserved, sent and delivered', async () => {
    const items = await listed()
    const purchase = await world.buyCoSigned(world.buyer, items)
    expect(purchase).toMatchObject({ status: 'held', coSigned: true, stage: 'sent', payMillisLeft: 0, payBefore: purchase.createdAt })
    await world.untilStatus(purchase, 'settled')
    expect(await world.appleJuice(world.buyer)).toBe(1_010)
  })

  it('of a part is delivered, and the rest stays for sale', async () => {
    const purchase = await world.buyCoSigned(world.buyer, await part(4))
    expect(purchase.items).toMatchObject([{ amount: 4 }])
    await world.untilStatus(purchase, 'settled')
    expect(await world.appleJuice(world.buyer)).toBe(1_004)
  })

  it('is one purchase, however often it is submitted', async () => {
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    const answers = await Promise.all([1, 2, 3].map(() => world.pay(world.buyer, items, offer, payment).catch(() => undefined)))
    const first = answers.find((answer) => answer !== undefined)
    expect(await world.pay(world.buyer, items, offer, payment)).toEqual({ ...first, isNew: false })
    await world.untilStatus(first!, 'settled')
    expect(await world.pay(world.buyer, items, offer, payment)).toEqual({ ...first, isNew: false })
  })

  it('has the same answer once the market no longer co-signs, which takes no other', async () => {
    const off = world.seenWith({ deps: { ...world.deps, settings: { ...world.deps.settings, coSign: false } } })
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    await expect(off.pay(world.buyer, items, offer, payment)).rejects.toEqual(refusal('CO_SIGN_OFF'))
    await expect(off.pay(world.buyer, items, offer, { ...payment, base64: 'AAAA' })).rejects.toEqual(refusal('CO_SIGN_OFF'))
    const first = await world.pay(world.buyer, items, offer, payment)
    expect(await off.pay(world.buyer, items, offer, payment)).toEqual({ ...first, isNew: false })
    await world.untilStatus(first, 'settled')
  })

  it('is refused for good once somebody else was faster, even when the listing is free again', async () => {
    const items = await listed()
    const offer = await world.offer(world.rival, items)
    const payment = await world.signOffer(world.rival, offer)
    const held = await world.hold(world.buyer, items[0]!.listingId)
    await expect(world.pay(world.rival, items, offer, payment)).rejects.toEqual(refusal('LISTING_HELD'))
    await world.cancel(world.buyer, held)
    await expect(world.pay(world.rival, items, offer, payment)).rejects.toEqual(refusal('LISTING_HELD'))
    await world.buyCoSigned(world.rival, items)
  })

  it('is refused with an offer of another wallet, and with an offer that was used', async () => {
    const items = await part(2)
    const offer = await world.offer(world.buyer, items)
    await expect(world.pay(world.rival, items, offer, await world.signOffer(world.rival, offer))).rejects.toEqual(
      refusal('PAYMENT_REFUSED'),
    )
    const first = await world.signOffer(world.buyer, offer)
    await world.pay(world.buyer, items, offer, first)
    const again = await world.signOffer(world.buyer, { ...offer, blockhash: (await world.offer(world.rival, items)).blockhash })
    if (again.signature === first.signature) return
    await expect(world.pay(world.buyer, items, offer, again)).rejects.toEqual(refusal('REFERENCE_USED'))
  })

  it('that pays something else is refused without a record', async () => {
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const elsewhere = { ...offer, transfers: offer.transfers.map((transfer) => ({ ...transfer, to: world.rival.address })) }
    const payment = await world.signOffer(world.buyer, elsewhere)
    await expect(world.pay(world.buyer, items, offer, payment)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    const { rows } = await world.connection.pool.query('select from refused_payments where buyer = $1', [world.buyer.address])
    expect(rows).toEqual([])
    const cheaper = { ...offer, transfers: offer.transfers.map((transfer) => ({ ...transfer, lamports: '1000000' })) }
    const tooLittle = await world.signOffer(world.buyer, cheaper)
    const refuse = () =>
      world.pay(world.buyer, items, offer, tooLittle).then(
        () => undefined,
        (error: unknown) => error,
      )
    const first = await refuse()
    expect(first).toMatchObject({ code: 'PRICE_MOVED', listingId: undefined, detail: undefined })
    expect({ ...((await refuse()) as object) }).toEqual({ ...(first as object) })
  })

  it('is refused for good once its blockhash is too old, and a new one is delivered', async () => {
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    await world.mine(200)
    for (let time = 0; time < 2; time++) {
      await expect(world.pay(world.buyer, items, offer, payment)).rejects.toEqual(refusal('PAYMENT_EXPIRED'))
    }
    await world.untilStatus(await world.buyCoSigned(world.buyer, items), 'settled')
  })

  it('that never lands frees its listing as soon as it can no longer land', async () => {
    const items = await listed()
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, items)
    await world.untilStatus(purchase, 'ended')
    expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
    vi.restoreAllMocks()
    await world.untilStatus(await world.buyCoSigned(world.rival, items), 'settled')
  })

  it('that never lands because the SOL had gone counts as such, although the SOL is back by then', async () => {
    const buyer = await world.createWallet({ sol: 100_000_000n })
    const items = [{ listingId: await world.list(world.seller, { price: 60_000_000n }) }]
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const { purchaseId } = await world.buyCoSigned(buyer, items)
    await world.transact(buyer, transfer(buyer, world.rival.address, 90_000_000n))
    await reconcileOverdue(purchaseId)
    await world.transact(world.rival, transfer(world.rival, buyer.address, 90_000_000n))
    await world.untilStatus({ purchaseId }, 'ended')
    expect(await endOf(purchaseId)).toEqual({ end_reason: 'expired', unfunded: true })
  })

  it.each([
    ['has almost expired counts as one without the SOL', 120, true],
    ['is fresh does not count, if the chain has lost it', 0, false],
  ])('whose blockhash %s', async (_, blocksOld, unfunded) => {
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await world.mine(blocksOld)
    const { purchaseId } = await world.pay(world.buyer, items, offer, payment)
    await world.mine(50)
    await reconcileOverdue(purchaseId)
    await world.untilStatus({ purchaseId }, 'ended')
    expect(await endOf(purchaseId)).toEqual({ end_reason: 'expired', unfunded })
  })

  it('is sent again although nobody tells whether it can land', async () => {
    const items = await listed()
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const { purchaseId } = await world.buyCoSigned(world.buyer, items)
    broadcast.mockClear()
    vi.spyOn(world.chain, 'simulate').mockRejectedValue(new Failure('CHAIN_BUSY'))
    await reconcileOverdue(purchaseId)
    expect(broadcast).toHaveBeenCalledOnce()
    broadcast.mockRestore()
    await world.untilStatus({ purchaseId }, 'settled')
  })

  it('whose commit has an unknown outcome is not sent by this server, and by whoever finds it after that', async () => {
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    const broadcast = vi.spyOn(world.chain, 'broadcast')
    const original = PooledConnection.prototype.query
    vi.spyOn(PooledConnection.prototype, 'query').mockImplementation(async function (this: PooledConnection, text, values) {
      const result = await original.call(this, text, values)
      if (text === 'commit') throw new UnconfirmedCommitError()
      return result
    })
    await expect(world.pay(world.buyer, items, offer, payment)).rejects.toBeInstanceOf(UnconfirmedCommitError)
    expect(broadcast).not.toHaveBeenCalled()
    vi.restoreAllMocks()
    const { purchaseId } = await world.pay(world.buyer, items, offer, payment)
    await world.untilStatus({ purchaseId }, 'settled')
  })

  it.each([0, 5_000])(
    'that its buyer signs twice is one payment: the copy that lands is the one that is delivered (slot off by %i)',
    async (off) => {
      const buyer = await world.createSeededWallet()
      const items = await listed()
      const offer = await world.offer(buyer, items)
      const payment = await world.signOffer(buyer, offer)
      const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
      const { purchaseId } = await world.pay(buyer, items, offer, payment)
      // What an endpoint may be wrong by without being noticed.
      await world.connection.pool.query('update purchases set held_at_slot = held_at_slot + $2 where id = $1', [purchaseId, off])
      const [complete] = broadcast.mock.calls.map(([bytes]) => bytes)
      const copy = withOtherSignature(complete!, buyer.seed)
      await world.sendByWallet(copy)
      // It does not end in between: somebody else could have the listing then.
      await world.reconcileUntil(async () => expect((await world.read(purchaseId)).status).not.toBe('held'))
      expect(await world.read(purchaseId)).toMatchObject({ status: 'settled', signature: copy.signature })
      expect(await world.appleJuice(buyer)).toBe(1_010)
    },
  )

  it('does not count twice what the chain has just taken for the one before', async () => {
    const buyer = await boughtBefore()
    const [first, second] = [await world.list(world.seller, { price: 70_000_000n }), await world.list(world.seller, { price: 70_000_000n })]
    const before = await world.buyCoSigned(buyer, [{ listingId: first }])
    const signature = await landed(before)
    const items = [{ listingId: second }]
    const offer = await world.offer(buyer, items)
    const payment = await world.signOffer(buyer, offer)
    // Landed about when the other one was simulated, so that nobody can tell whether the balance lacks it.
    const status = { slot: 10n ** 12n, commitment: 'processed', failed: false } as const
    vi.spyOn(world.chain, 'statuses').mockResolvedValueOnce(new Map([[signature, status]]))
    await expect(world.pay(buyer, items, offer, payment)).rejects.toEqual(refusal('TOO_MANY_REQUESTS'))
    expect((await world.read(before.purchaseId)).status).toBe('held')
    const { purchaseId } = await world.pay(buyer, items, offer, payment)
    for (const id of [before.purchaseId, purchaseId]) await world.untilStatus({ purchaseId: id }, 'settled')
  })

  it('is not refused for good if another one of the wallet began while the chain was asked', async () => {
    const buyer = await boughtBefore()
    const [first, second] = [await world.list(world.seller, { price: 70_000_000n }), await world.list(world.seller, { price: 70_000_000n })]
    const items = [{ listingId: second }]
    const offer = await world.offer(buyer, items)
    const payment = await world.signOffer(buyer, offer)
    const genesisHash = await world.chain.genesisHash()
    // As an endpoint tells it that has seen the other one land.
    const simulation = { kind: 'valid', slot: await world.chain.highestSlot(), balance: lamports(58_000_000n) } as const
    vi.spyOn(world.chain, 'simulate').mockResolvedValueOnce(simulation)
    vi.spyOn(world.chain, 'genesisHash').mockImplementationOnce(async () => {
      await landed(await world.buyCoSigned(buyer, [{ listingId: first }]))
      return genesisHash
    })
    await expect(world.pay(buyer, items, offer, payment)).rejects.toEqual(refusal('TOO_MANY_REQUESTS'))
    await world.untilStatus(await world.pay(buyer, items, offer, payment), 'settled')
  })

  it('is refused if the wallet cannot pay for it beside one that is not on the chain', async () => {
    const buyer = await boughtBefore()
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await world.buyCoSigned(buyer, [{ listingId: await world.list(world.seller, { price: 110_000_000n }) }])
    const other = await world.list(world.seller, { price: 110_000_000n })
    await expect(world.buyCoSigned(buyer, [{ listingId: other }])).rejects.toEqual(refusal('INSUFFICIENT_SOL'))
  })

  it('is not even checked while too many of its wallet were refused', async () => {
    const buyer = await world.createWallet({ sol: 5_000_000n })
    const items = await listed()
    const simulate = vi.spyOn(world.chain, 'simulate')
    const submit = async () => {
      const offer = await world.offer(buyer, items)
      return world.pay(buyer, items, offer, await world.signOffer(buyer, offer))
    }
    for (let n = 1; n <= MAX_REFUSED_PAYMENTS; n++) await expect(submit()).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    const checked = simulate.mock.calls.length
    await expect(submit()).rejects.toEqual(refusal('TOO_MANY_REQUESTS'))
    expect(simulate).toHaveBeenCalledTimes(checked)
  })

  it('waits for another one of the same wallet that is being checked', async () => {
    const items = await listed()
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    const simulate = world.chain.simulate.bind(world.chain)
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const asked = vi.spyOn(world.chain, 'simulate').mockImplementation(async (...options) => {
      await released
      return simulate(...options)
    })
    const first = world.pay(world.buyer, items, offer, payment)
    await vi.waitFor(() => expect(asked).toHaveBeenCalled())
    await expect(world.pay(world.buyer, items, offer, payment)).rejects.toEqual(refusal('TOO_MANY_REQUESTS'))
    release()
    expect(await first).toMatchObject({ isNew: true })
    expect(await world.pay(world.buyer, items, offer, payment)).toMatchObject({ isNew: false })
  })

  it('is the only one of a wallet that has never bought', async () => {
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await world.buyCoSigned(world.buyer, await part(1))
    await expect(world.buyCoSigned(world.buyer, await part(1))).rejects.toEqual(refusal('TOO_MANY_HOLDS'))
  })
})

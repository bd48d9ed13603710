import { type Body } from '@juicebar/contract/calls'
import { beforeAll, describe, expect, it } from 'vitest'

import { createCheckout, endCheckout, readAttempts, requireCheckout } from '../../src/studio/checkouts/change-checkouts.ts'
import { type CheckoutRow, draftCheckout } from '../../src/checkouts/checkout.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { readSales } from '../../src/studio/sales/read-sales.ts'
import { createWebhook } from '../../src/studio/webhooks/change-webhooks.ts'
import { collectMessages } from '../../src/studio/webhooks/run-webhooks.ts'
import { defaultCatalogue } from '../support/catalogue.ts'
import { refusal, useTradingWorld, type Wallet } from '../purchases/trading-world.ts'
import { endOverdueCheckouts, overdue } from './overdue.ts'

const world = useTradingWorld()
const ROOT = { kind: 'root', name: 'root key', scopes: ['checkout'], namespace: '' } as const
const AMOUNT = 4

beforeAll(async () => {
  const events = ['checkout.completed', 'checkout.expired'] as const
  await createWebhook(world.database, { url: 'https://game.example/', events, allowPrivate: false, actor: 'test' })
})

let made = 0
async function checkout(changes: Partial<Body<'createCheckout'>> = {}): Promise<CheckoutRow> {
  const idempotencyKey = `order ${++made}`
  const asked = { tokenType: 'APPLE_JUICE', amount: AMOUNT, returnUrl: 'https://game.example/', clientReference: idempotencyKey }
  const draft = draftCheckout({ ...asked, idempotencyKey, ...changes }, { catalogue: defaultCatalogue, origins: ['https://game.example'] })
  return createCheckout(world.database, draft, { key: ROOT, idempotencyKey })
}
const read = ({ id }: CheckoutRow) => requireCheckout(world.database, id)
const part = async () => [{ listingId: await world.list(world.seller, { divisible: true }), amount: AMOUNT }]
const holdFor = async (buyer: Wallet, { publicId }: CheckoutRow, items: Awaited<ReturnType<typeof part>>) => {
  const held = await placeHold(world.deps, { buyer: buyer.address, items, paysTransfers: true, checkout: publicId })
  return world.read(held.id)
}

/** What the game's server was told of a checkout, in order. */
async function told({ id }: CheckoutRow): Promise<{ type: string; data: { checkout: Record<string, unknown> } }[]> {
  while ((await collectMessages({ ...world.deps, publicOrigin: 'https://market.example' })) > 0);
  const { rows } = await world.connection.pool.query<{ body: string }>('select body from webhook_messages order by ordinal')
  return rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.checkout.id === id)
}

describe('a checkout', () => {
  it('is paid by a payment that only the market can send, and the game is told', async () => {
    const open = await checkout()
    const purchase = await world.buyCoSigned(world.buyer, await part(), open.publicId)
    const { purchaseId, lamports } = purchase
    const known = { purchaseId, buyer: world.buyer.address, lamports: BigInt(lamports), signature: purchase.signature }
    expect(await read(open)).toMatchObject({ status: 'paying', ...known })
    await world.untilStatus(purchase, 'settled')
    expect(await read(open)).toMatchObject({ status: 'completed', ...known })
    const { signature } = await world.read(purchaseId)
    expect(await told(open)).toEqual([
      {
        type: 'checkout.completed',
        timestamp: expect.any(String),
        data: {
          checkout: {
            id: open.id,
            url: `https://market.example/checkout/${open.publicId}`,
            status: 'completed',
            tokenType: 'APPLE_JUICE',
            amount: AMOUNT,
            maxLamports: null,
            wallet: null,
            clientReference: open.clientReference,
            returnUrl: 'https://game.example/',
            expiresAt: open.expiresAt.toISOString(),
            purchaseId,
            buyer: world.buyer.address,
            lamports,
            signature,
            createdAt: open.createdAt.toISOString(),
          },
        },
      },
    ])
    const { sales } = await readSales(world.database, {})
    expect(sales.at(-1)).toMatchObject({ purchaseId, checkout: { id: open.id, clientReference: open.clientReference } })
  })

  it('is paid by a hold that its wallet pays by itself, which is one hold however often it is asked for', async () => {
    const open = await checkout()
    const items = await part()
    const held = await holdFor(world.buyer, open, items)
    expect((await holdFor(world.buyer, open, items)).purchaseId).toBe(held.purchaseId)
    await world.payByWallet(world.buyer, held)
    await world.untilStatus(held, 'settled')
    expect(await read(open)).toMatchObject({ status: 'completed', purchaseId: held.purchaseId })
  })

  it('is paid once, whoever pays at the same time', async () => {
    const open = await checkout()
    const players = [world.buyer, world.rival, await world.createWallet(), await world.createWallet()]
    const offers = await Promise.all(
      players.map(async (player) => {
        const items = await part()
        const offer = await world.offer(player, items, open.publicId)
        return { player, items, offer, payment: await world.signOffer(player, offer) }
      }),
    )
    const answers = await Promise.allSettled(
      offers.map(({ player, items, offer, payment }) => world.pay(player, items, offer, payment, open.publicId)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toEqual(refusal('CHECKOUT_PAYING'))
    const { purchaseId } = await read(open)
    await world.untilStatus({ purchaseId: purchaseId! }, 'settled')
    const late = offers.find((_, index) => answers[index]!.status === 'rejected')!
    await expect(world.offer(late.player, late.items, open.publicId)).rejects.toEqual(refusal('CHECKOUT_PAID'))
    expect((await told(open)).map(({ type }) => type)).toEqual(['checkout.completed'])
    const { attempts } = await readAttempts(world.database, open.id)
    expect(attempts.map(({ outcome, reason }) => reason ?? outcome).toSorted()).toEqual([
      'CHECKOUT_PAYING',
      'CHECKOUT_PAYING',
      'CHECKOUT_PAYING',
      'delivered',
    ])
  })

  it('is open again when its purchase ends unpaid, and the next one completes it', async () => {
    const open = await checkout()
    const items = await part()
    await world.lapse(await holdFor(world.buyer, open, items))
    expect(await read(open)).toMatchObject({ status: 'open', purchaseId: null, buyer: null })
    const purchase = await world.buyCoSigned(world.rival, items, open.publicId)
    await world.untilStatus(purchase, 'settled')
    expect(await read(open)).toMatchObject({ status: 'completed', buyer: world.rival.address })
  })

  it('is completed by a purchase that was reserved in time, whenever it is delivered', async () => {
    const open = await checkout()
    const purchase = await world.buyCoSigned(world.buyer, await part(), open.publicId)
    await overdue(world.connection.pool, open.id)
    await endOverdueCheckouts(world.database)
    expect(await read(open)).toMatchObject({ status: 'paying' })
    await world.untilStatus(purchase, 'settled')
    expect((await told(open)).map(({ type }) => type)).toEqual(['checkout.completed'])
  })

  it('expires when its purchase ends unpaid after its time, and a late payment still completes it', async () => {
    const open = await checkout()
    const held = await holdFor(world.buyer, open, await part())
    const payment = await world.signPayment(world.buyer, held)
    await overdue(world.connection.pool, open.id)
    await world.lapse(held)
    expect(await read(open)).toMatchObject({ status: 'expired', purchaseId: null })
    await world.sendByWallet(payment)
    await world.untilStatus(held, 'settled')
    expect(await read(open)).toMatchObject({ status: 'completed', purchaseId: held.purchaseId })
    const messages = await told(open)
    expect(messages.map(({ type }) => type)).toEqual(['checkout.expired', 'checkout.completed'])
    expect(messages[0]!.data.checkout).toMatchObject({ status: 'expired', purchaseId: null, buyer: null })
  })

  it('is completed by the first of two payments, and only once', async () => {
    const open = await checkout()
    const held = await holdFor(world.buyer, open, await part())
    const payment = await world.signPayment(world.buyer, held)
    await world.lapse(held)
    const purchase = await world.buyCoSigned(world.rival, await part(), open.publicId)
    await world.sendByWallet(payment)
    await world.untilStatus(held, 'settled')
    await world.untilStatus(purchase, 'settled')
    const completed = await read(open)
    expect(completed).toMatchObject({ status: 'completed' })
    expect((await told(open)).map(({ type }) => type)).toEqual(['checkout.completed'])
    // A game that delivers for each sale of a checkout delivers once.
    const { sales } = await readSales(world.database, {})
    const ofBoth = sales.filter(({ purchaseId }) => [held.purchaseId, purchase.purchaseId].includes(purchaseId))
    expect(ofBoth).toHaveLength(2)
    expect(ofBoth.filter((sale) => sale.checkout?.id === open.id)).toMatchObject([{ purchaseId: completed.purchaseId }])
  })

  it('is paid only by its wallet, in time, and neither while it is paid nor afterwards', async () => {
    const open = await checkout({ wallet: world.buyer.address })
    await expect(world.offer(world.rival, await part(), open.publicId)).rejects.toEqual(refusal('CHECKOUT_OTHER_WALLET'))
    const held = await holdFor(world.buyer, open, await part())
    await expect(endCheckout(world.database, { id: open.id, actor: 'test' })).rejects.toEqual(refusal('CHECKOUT_PAYING'))
    await expect(world.offer(world.buyer, await part(), open.publicId)).rejects.toEqual(refusal('CHECKOUT_PAYING'))
    await world.lapse(held)
    await endCheckout(world.database, { id: open.id, actor: 'test' })
    await expect(world.offer(world.buyer, await part(), open.publicId)).rejects.toEqual(refusal('CHECKOUT_EXPIRED'))
    await expect(world.offer(world.buyer, await part(), 'A'.repeat(24))).rejects.toEqual(refusal('CHECKOUT_NOT_FOUND'))
  })

  it('is paid with exactly its item and amount, for at most what it may cost', async () => {
    const [listingId] = (await part()).map((item) => item.listingId)
    const items = [{ listingId: listingId!, amount: AMOUNT }]
    const { lamports } = await world.offer(world.buyer, items)
    const dear = await checkout({ maxLamports: String(BigInt(lamports) - 1n) })
    await expect(world.offer(world.buyer, items, dear.publicId)).rejects.toEqual(refusal('CHECKOUT_DIFFERS'))
    const open = await checkout({ maxLamports: lamports })
    await expect(world.offer(world.buyer, [{ ...items[0]!, amount: AMOUNT - 1 }], open.publicId)).rejects.toEqual(
      refusal('CHECKOUT_DIFFERS'),
    )
    await world.buyCoSigned(world.buyer, items, open.publicId)
  })
})

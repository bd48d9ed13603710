import { type Signature } from '@juicebar/contract/addresses'
import { type Purchase } from '@juicebar/contract/schemas'
import { expect, it } from 'vitest'
import { closeCase } from '../../../src/purchases/cases/open-case.ts'
import { refusal, useTradingWorld } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()

/** Of 0.05 SOL, cancelled, and since held by somebody else. */
async function cancelledPurchase(): Promise<Purchase> {
  const purchase = await world.hold(world.buyer, await world.list(world.seller, { price: 50_000_000n }))
  await world.cancel(world.buyer, purchase)
  await world.hold(await world.createWallet(), purchase.listingId)
  return purchase
}

/** Of a tenth of the cheapest listing, cancelled. Somebody else holds all of that until `freeListing`. */
async function cheapPurchase() {
  const listingId = await world.list(world.seller, { amount: 10, price: 1_000_000n, divisible: true })
  const purchase = await world.holdItems(world.buyer, [{ listingId, amount: 1 }])
  await world.cancel(world.buyer, purchase)
  const rivalHold = await world.hold(world.rival, listingId)
  return { purchase, price: BigInt(purchase.lamports), freeListing: () => world.cancel(world.rival, rivalHold) }
}

/** `toSelf` tells apart payments that are otherwise the same. */
const pay = ({ reference }: Purchase, lamports: bigint, toSelf = 0n): Promise<Signature> =>
  world.transact(
    world.buyer,
    transfer(world.buyer, world.seller.address, lamports, [reference]),
    transfer(world.buyer, world.buyer.address, toSelf),
  )

const confirm = ({ listingId }: Purchase, signature: string) => world.confirm(world.buyer, listingId, signature)
const expectNotDelivered = (purchase: Purchase, signature: string) =>
  expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))

/** The cases of a purchase as its seller sees them, the oldest first. */
async function casesOf({ purchaseId }: Purchase) {
  const cases = (await world.casesOf(world.seller)).filter((found) => found.purchaseId === purchaseId)
  return cases.toSorted((one, other) => (one.caseId < other.caseId ? -1 : 1))
}

it('has a case for each of thirteen payments that are a little less than the price, though nobody asks for one', async () => {
  const purchase = await cancelledPurchase()
  const paid: Signature[] = []
  for (let n = 0n; n < 13n; n++) paid.push(await pay(purchase, 49_999_900n - n))
  await world.reconcileUntil(async () => {
    expect((await casesOf(purchase)).map(({ signature }) => signature).toSorted()).toEqual(paid.toSorted())
  })
})

it('adds up payments below the least price in one case, each of them once', async () => {
  const purchase = await cancelledPurchase()
  const paid: Signature[] = []
  for (let n = 0n; n < 12n; n++) paid.push(await pay(purchase, 999_999n - n))
  const total = paid.reduce((sum, _, n) => sum + 999_999n - BigInt(n), 0n)
  await Promise.all(paid.slice(0, 4).flatMap((signature) => [confirm(purchase, signature), confirm(purchase, signature)].map(ignore)))
  await world.reconcileUntil(async () => expect(await casesOf(purchase)).toMatchObject([{ lamports: total.toString(), refundable: true }]))
  for (const signature of paid) await expectNotDelivered(purchase, signature)
  const [found] = await casesOf(purchase)
  expect(found).toMatchObject({ lamports: total.toString(), explanation: expect.stringContaining('12 payments') as string })
  const refund = await world.sendByWallet(await world.signRefund(world.seller, found!))
  await world.reconcileUntil(async () => expect(await casesOf(purchase)).toMatchObject([{ status: 'refunded', refundSignature: refund }]))
})

it('changes no amount that a seller is about to pay back: what comes later adds up in another case', async () => {
  const purchase = await cancelledPurchase()
  for (const lamports of [1n, 2n]) await expectNotDelivered(purchase, await pay(purchase, lamports))
  const [first] = await casesOf(purchase)
  const prepared = await world.prepareRefund(world.seller, first!)
  for (const lamports of [4n, 8n]) await expectNotDelivered(purchase, await pay(purchase, lamports))
  expect(await casesOf(purchase)).toMatchObject([{ lamports: '3' }, { lamports: '12' }])
  expect(prepared.lamports).toBe('3')
})

it('adds nothing to a case that the studio has closed: what comes later adds up in another', async () => {
  const purchase = await cancelledPurchase()
  await expectNotDelivered(purchase, await pay(purchase, 1n))
  const [first] = await casesOf(purchase)
  await closeCase(world.deps, first!.caseId, 'Settled between the two.')
  for (const lamports of [2n, 4n]) await expectNotDelivered(purchase, await pay(purchase, lamports))
  expect(await casesOf(purchase)).toMatchObject([
    { status: 'closed', lamports: '1' },
    { status: 'open', lamports: '6' },
  ])
})

it('has cases of their own for everything else, however many small payments there are', async () => {
  const purchase = await cancelledPurchase()
  for (let n = 1n; n <= 3n; n++) await expectNotDelivered(purchase, await pay(purchase, n))
  const late = await pay(purchase, BigInt(purchase.lamports))
  await expectNotDelivered(purchase, late)
  await world.expectCase(late, { kind: 'late', lamports: purchase.lamports })
  expect(await casesOf(purchase)).toHaveLength(2)
})

it('delivers only the first of late payments below the least price, and adds up the others', async () => {
  const { purchase, price, freeListing } = await cheapPurchase()
  expect(price).toBe(100_000n)
  const [first, second, third] = [await pay(purchase, price, 1n), await pay(purchase, price, 2n), await pay(purchase, price, 3n)]
  for (const signature of [first, second, third]) await expectNotDelivered(purchase, signature)
  expect(await casesOf(purchase)).toMatchObject([{ signature: first, lamports: `${price}` }, { lamports: `${2n * price}` }])
  await freeListing()
  for (const signature of [third, second]) await expectNotDelivered(purchase, signature)
  expect(await confirm(purchase, first)).toMatchObject({ settled: true })
  expect(await casesOf(purchase)).toMatchObject([{ status: 'delivered' }, { status: 'open', lamports: `${2n * price}` }])
})

const ignore = (asked: Promise<unknown>) => asked.catch(() => undefined)

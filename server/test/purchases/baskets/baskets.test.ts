import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listOwnListings } from '../../../src/listings/listing-store.ts'
import { submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { type OrderedItem } from '../../../src/purchases/reservation/order.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { runAudit } from '../../../src/studio/audit/run-audits.ts'
import { orderOf, refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

const world = useTradingWorld()
let studio: Wallet
let second: Wallet

beforeAll(async () => void ([studio, second] = await Promise.all([world.createWallet(), world.createWallet()])))

beforeEach(() => void (world.deps.settings.fee = { basisPoints: 250, wallet: studio.address }))

/** A listing of 120 apple juices that may be bought in parts. */
const listParts = (price = 70_000_000n, seller = world.seller) => world.list(seller, { amount: 120, price, divisible: true })
const pairOfListings = async () => [{ listingId: await world.list() }, { listingId: await world.list(second) }]
const hold = (items: readonly OrderedItem[]) => world.holdItems(world.buyer, items)
const confirm = ({ purchaseId }: Purchase, signature: Signature) =>
  confirmPurchase(world.deps, world.buyer.address, { purchaseId }, signature)
const balance = async ({ address }: Wallet) => world.chain.balance(address, { fresh: true })
const ownListing = async (id: string) =>
  (await listOwnListings(world.database, world.seller.address, 'active')).find(({ _id }) => _id === id)

describe('a purchase of several items', () => {
  it('is paid with one transaction to all sellers and the studio, to the lamport, and delivered whole', async () => {
    const recipients = [world.seller, second, studio]
    const [parts, whole, another] = [await listParts(), await world.list(second), await world.list(second)]
    const [before, { revenue }] = await Promise.all([Promise.all(recipients.map(balance)), runAudit(world.deps, { full: true })])
    const purchase = await hold([{ listingId: parts, amount: 41 }, { listingId: whole }, { listingId: another }])
    expect(purchase.items.map(({ amount, seller }) => ({ amount, seller }))).toEqual([
      { amount: 41, seller: world.seller.address },
      { amount: 10, seller: second.address },
      { amount: 10, seller: second.address },
    ])
    expect(purchase.items[0]).toMatchObject({ partOf: parts, lamports: '23916667' })
    const total = purchase.items.reduce((sum, item) => sum + BigInt(item.lamports), 0n)
    const fee = (total * 250n) / 10_000n
    expect(purchase).toMatchObject({ lamports: String(total), fee: { lamports: String(fee), basisPoints: 250 } })

    const payment = await world.signTransfers(world.buyer, purchase, studio)
    await world.submit(world.buyer, purchase, payment)
    await world.untilStatus(purchase, 'settled')
    const after = await Promise.all(recipients.map(balance))
    expect(after.map((amount, index) => amount - before[index]!)).toEqual([23_916_667n, total - 23_916_667n, fee])
    expect(await world.appleJuice(world.buyer)).toBe(1_061)
    expect(await ownListing(parts)).toMatchObject({ amount: 79, beingBought: 0, sold: 41, price: 0.046083334 })
    expect(await runAudit(world.deps, { full: true })).toMatchObject({
      ok: true,
      revenue: { lamports: String(BigInt(revenue.lamports) + fee) },
    })
    const again = await world.confirm(world.buyer, parts, payment.signature)
    expect(again).toMatchObject({ settled: true, purchase: { id: purchase.purchaseId } })
  })

  it('is refused as a whole, and the refused item is named', async () => {
    const [free, held] = [await world.list(), await world.list()]
    await world.hold(world.rival, held)
    await expect(hold([{ listingId: free }, { listingId: held }])).rejects.toMatchObject({ code: 'LISTING_HELD', listingId: held })
    expect((await world.hold(world.rival, free)).status).toBe('held')
  })

  it('placed again, whole or in part, is the same purchase', async () => {
    const items = [{ listingId: await listParts(), amount: 7 }, { listingId: await world.list(second) }]
    const { purchaseId } = await hold(items)
    expect(await hold(items.toReversed())).toMatchObject({ purchaseId })
    expect(await hold(items.slice(0, 1))).not.toMatchObject({ purchaseId })
  })

  it.each([
    ['TRANSFERS_NEEDED', { paysTransfers: false }],
    ['PRICE_MOVED', { mostLamports: 1n }],
  ])('is refused with %s before anything is held', async (code, changes) => {
    world.deps.settings.fee = { basisPoints: 0, wallet: undefined }
    const items = await pairOfListings()
    await expect(placeHold(world.deps, { ...orderOf(world.buyer, items), ...changes })).rejects.toEqual(refusal(code))
    expect(await hold(items)).toMatchObject({ status: 'held' })
  })

  it('becomes a case for each seller who received SOL if a transfer is missing', async () => {
    const purchase = await hold(await pairOfListings())
    const missing = { ...purchase, items: purchase.items.slice(0, 1) }
    const signature = await world.sendByWallet(await world.signTransfers(world.buyer, missing, studio))
    await world.reconcileUntil(async () => expect(await world.casesOf(world.buyer)).toHaveLength(1))
    expect(await world.casesOf(world.buyer)).toMatchObject([
      {
        kind: 'wrong',
        signature,
        seller: world.seller.address,
        lamports: purchase.items[0]?.lamports,
        fee: { lamports: purchase.fee.lamports, owedTo: world.buyer.address },
        explanation: expect.stringContaining('is not returned by the seller'),
      },
    ])
    expect(await world.casesOf(second)).toEqual([])
    expect((await world.read(purchase.purchaseId)).status).toBe('held')
  })
})

describe('a part of a listing', () => {
  beforeEach(() => void (world.deps.settings.fee = { basisPoints: 0, wallet: undefined }))

  it('goes back to the listing when nobody pays for it, with every lamport', async () => {
    const listingId = await listParts(7_000_000n)
    const purchase = await hold([{ listingId, amount: 50 }])
    expect(await ownListing(listingId)).toMatchObject({ amount: 120, price: 0.007, beingBought: 50 })
    await world.cancel(world.buyer, purchase)
    expect(await ownListing(listingId)).toMatchObject({ amount: 120, price: 0.007, beingBought: 0 })
  })

  it('returns its tokens when nobody pays for it and the listing was removed', async () => {
    const listingId = await listParts(70_000_000n, world.rival)
    const purchase = await hold([{ listingId, amount: 50 }])
    await world.remove(listingId, world.rival)
    expect(await world.appleJuice(world.rival)).toBe(950)
    await world.cancel(world.buyer, purchase)
    expect(await world.appleJuice(world.rival)).toBe(1_000)
  })

  it('is for sale by itself if the listing was removed and its seller has no room for it', async () => {
    const seller = await world.createWallet()
    const listingId = await world.list(seller, { divisible: true })
    const purchase = await world.holdItems(world.buyer, [{ listingId, amount: 4 }])
    await world.remove(listingId, seller)
    // Millions of credits, as the limits are.
    const fill = (amount: number) =>
      world.connection.pool.query('update balances set amount = amount + $1 where wallet_address = $2', [amount, seller.address])
    await fill(8_999_999_999_999_001)
    await world.cancel(world.buyer, purchase)
    await fill(-8_999_999_999_999_001)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
    const { rows } = await world.connection.pool.query('select amount, status from listings where part_of = $1', [listingId])
    expect(rows).toEqual([{ amount: 4n, status: 'active' }])
  })

  it('is delivered late if so much of its listing is left', async () => {
    const listingId = await listParts()
    const purchase = await hold([{ listingId, amount: 50 }])
    await world.cancel(world.buyer, purchase)
    const signature = await world.sendByWallet(await world.signTransfers(world.buyer, purchase, studio))
    expect(await world.confirm(world.buyer, listingId, signature)).toMatchObject({ settled: true })
    expect(await ownListing(listingId)).toMatchObject({ amount: 70, sold: 50 })
  })

  it('must be large enough for a seller whose account does not exist yet', async () => {
    const listingId = await listParts(7_000_000n, await world.createWallet({ sol: 0n }))
    const tooSmall = { code: 'PART_TOO_SMALL', detail: expect.stringContaining('Buy at least 16.') }
    await expect(hold([{ listingId, amount: 15 }])).rejects.toMatchObject(tooSmall)
    expect(await hold([{ listingId, amount: 16 }])).toMatchObject({ status: 'held' })
  })
})

interface Paid {
  to: WalletAddress
  lamports: bigint
  references: readonly string[]
}

/** Two listings of two sellers, held by the buyer, and what is agreed to be paid: to the first, to the second, and the fee. */
async function holdBasket() {
  const purchase = await hold(await pairOfListings())
  const [due = '', dueToSecond = ''] = purchase.items.map((item) => item.lamports)
  const paidTo = ({ address }: Wallet, amount: string) => ({ to: address, lamports: BigInt(amount), references: [purchase.reference] })
  const agreed = [paidTo(world.seller, due), paidTo(second, dueToSecond), paidTo(studio, purchase.fee.lamports)] as const
  return { purchase, agreed }
}

async function send(paid: readonly Paid[]): Promise<Signature> {
  const transfers = paid.map((each) => transfer(world.buyer, each.to, each.lamports, each.references))
  return world.sendByWallet(await signTransaction(world, world.buyer, transfers))
}

/** Those of the first seller come first. */
async function casesAbout(signature: Signature): Promise<Case[]> {
  const isFirst = ({ seller }: Case) => Number(seller === world.seller.address)
  return (await world.casesAbout(signature, world.buyer)).toSorted((a, b) => isFirst(b) - isFirst(a))
}

type Forgery = (...agreed: readonly [Paid, Paid, Paid]) => Paid[]

describe('a payment of a basket with a fee', () => {
  it.each<[string, Forgery]>([
    ['in which a seller’s transfer is missing', (one, _two, fee) => [one, fee]],
    ['in which the fee is left out', (one, two) => [one, two]],
    ['with a transfer too many, without a reference', (one, two, fee) => [one, two, fee, { ...two, lamports: 1_000_000n, references: [] }]],
    ['with a seller’s transfer twice', (one, two, fee) => [one, two, two, fee]],
    ['with the fee twice', (one, two, fee) => [one, two, fee, fee]],
    ['that pays a seller a lamport less', (one, two, fee) => [{ ...one, lamports: one.lamports - 1n }, two, fee]],
    ['that pays a lamport less of a fee', (one, two, fee) => [one, two, { ...fee, lamports: fee.lamports - 1n }]],
    ['that pays a seller a lamport more', (one, two, fee) => [one, { ...two, lamports: two.lamports + 1n }, fee]],
    ['with the sellers swapped', (one, two, fee) => [{ ...one, to: two.to }, { ...two, to: one.to }, fee]],
    ['that pays the fee to a seller', (one, two, fee) => [one, two, { ...fee, to: one.to }]],
    ['with the reference on the first transfer only', (one, two, fee) => [one, { ...two, references: [] }, { ...fee, references: [] }]],
    ['with the reference on all but the fee', (one, two, fee) => [one, two, { ...fee, references: [] }]],
  ])('%s is a case for each seller who received SOL, and buys nothing', async (_, forge) => {
    const { purchase, agreed } = await holdBasket()
    const paid = forge(...agreed)
    const signature = await send(paid)
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    const got = (to: WalletAddress) => paid.filter((each) => each.to === to).reduce((sum, each) => sum + each.lamports, 0n)
    const sellers = [world.seller, second].filter(({ address }) => got(address) > 0n)
    const cases = await casesAbout(signature)
    expect(cases.map((found) => [found.seller, found.lamports])).toEqual(sellers.map(({ address }) => [address, String(got(address))]))
    const owed = cases.flatMap(({ fee }) => (fee ? [fee] : []))
    expect(owed).toEqual(got(studio.address) > 0n ? [{ lamports: String(got(studio.address)), owedTo: world.buyer.address }] : [])
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'held' })
    expect(await world.appleJuice(world.buyer)).toBe(1_000)
    expect(await confirm(purchase, await send(agreed))).toMatchObject({ settled: true })
    expect(await world.appleJuice(world.buyer)).toBe(1_020)
  })

  it('does not pay for another basket of the same sellers', async () => {
    const [one, other] = [await holdBasket(), await holdBasket()]
    const signature = await send(one.agreed)
    await expect(confirm(other.purchase, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await confirm(one.purchase, signature)).toMatchObject({ settled: true })
    await expect(confirm(other.purchase, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await casesAbout(signature)).toEqual([])
    expect(await world.read(other.purchase.purchaseId)).toMatchObject({ status: 'held' })
  })

  it('and of another in one transaction delivers the first that is named; what paid the other is in its cases', async () => {
    const [one, other] = [await holdBasket(), await holdBasket()]
    const signature = await send([...one.agreed, ...other.agreed])
    await expect(confirm(other.purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await confirm(one.purchase, signature)).toMatchObject({ settled: true })
    const { purchaseId, fee } = other.purchase
    const [toFirst, toSecond] = other.agreed
    expect(await casesAbout(signature)).toMatchObject([
      { purchaseId, seller: toFirst.to, lamports: String(toFirst.lamports), fee: { lamports: fee.lamports } },
      { purchaseId, seller: toSecond.to, lamports: String(toSecond.lamports), fee: null },
    ])
  })
})

describe('a late payment of a basket', () => {
  it.each([
    ['is held by somebody else who then cancels', 'cancels'],
    ['was sold meanwhile', 'pays'],
  ])('of which a listing %s is refunded seller by seller, and then never delivered', async (_, outcome) => {
    const { purchase, agreed } = await holdBasket()
    await world.cancel(world.buyer, purchase)
    const taken = await world.hold(world.rival, purchase.items[1]!.listingId)
    if (outcome === 'pays') {
      await world.submit(world.rival, taken, await world.signTransfers(world.rival, taken, studio))
      await world.untilStatus(taken, 'settled')
    }
    const signature = await send(agreed)
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    const cases = await casesAbout(signature)
    expect(cases).toMatchObject([
      { kind: 'late', seller: world.seller.address, lamports: purchase.items[0]!.lamports, refundable: true },
      { kind: 'late', seller: second.address, lamports: purchase.items[1]!.lamports, refundable: true },
    ])

    await refund(world.seller, cases[0]!)
    if (outcome === 'cancels') await world.cancel(world.rival, taken)
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await refund(second, cases[1]!)
    await world.reconcileUntil(async () =>
      expect(await casesAbout(signature)).toMatchObject([{ status: 'refunded' }, { status: 'refunded' }]),
    )
    expect(await world.appleJuice(world.buyer)).toBe(1_000)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  async function refund(seller: Wallet, { caseId }: Case): Promise<void> {
    const { base64 } = await world.signRefund(seller, { caseId })
    await submitRefund(world.deps, seller.address, caseId, base64)
  }
})

describe('an empty fee wallet', () => {
  it('that the fee would leave below the rent-exempt minimum is told before anything is held', async () => {
    const empty = await world.createWallet({ sol: 0n })
    world.deps.settings.fee = { basisPoints: 10, wallet: empty.address }
    const items = [{ listingId: await world.list(world.seller, { price: 100_000_000n }) }]
    await expect(hold(items)).rejects.toEqual(refusal('FEE_WALLET_EMPTY'))
    world.deps.settings.fee = { basisPoints: 1_000, wallet: empty.address }
    expect(await hold(items)).toMatchObject({ fee: { lamports: '10000000' } })
  })
})

import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { type Instruction } from '@solana/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { confirmPayment } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { signRefund } from '../sign-refund.ts'
import {
  appleJuice,
  casesOf,
  expectAllAddsUp,
  hold,
  holdItems,
  list,
  openTradingWorld,
  orderOf,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signTransfers,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

let world: TradingWorld
let studio: Wallet
let first: Wallet
let second: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[studio, first, second] = [await world.createWallet(), await world.createWallet(), await world.createWallet()]
})

beforeEach(async () => {
  buyer = await world.createWallet()
  world.deps.settings.fee = { basisPoints: 250, wallet: studio.address }
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

interface Paid {
  to: WalletAddress
  lamports: bigint
  references: readonly string[]
}

/** Two listings of two sellers, held by the buyer, and what is agreed to be paid: to the first, to the second, and the fee. */
async function holdBasket(sendsThrough: 'server' | 'wallet' = 'wallet') {
  const items = [{ listingId: await list(world, first) }, { listingId: await list(world, second) }]
  const purchase = await holdItems(world, buyer, items, sendsThrough)
  return { purchase, agreed: agreedOf(purchase) }
}

function agreedOf({ items, fee, reference }: Purchase): Paid[] {
  const wallets = new Map([first, second, studio].map((wallet) => [wallet.address as string, wallet.address]))
  const references = [reference]
  const sellers = items.map(({ seller, lamports }) => ({
    to: wallets.get(seller) ?? studio.address,
    lamports: BigInt(lamports),
    references,
  }))
  return [...sellers, { to: studio.address, lamports: BigInt(fee.lamports), references }]
}

const instructionOf = ({ to, lamports, references }: Paid): Instruction => transfer(buyer, to, lamports, references)
const send = async (paid: readonly Paid[]) => sendByWallet(world, await signTransaction(world, buyer, paid.map(instructionOf)))
const confirm = ({ purchaseId }: Purchase, signature: Signature) => confirmPayment(world.deps, buyer.address, purchaseId, signature)

async function casesAbout(signature: Signature): Promise<Case[]> {
  const found = (await casesOf(world, buyer.address)).filter((each) => each.signature === signature)
  return found.toSorted((a, b) => (a.seller === first.address ? -1 : b.seller === first.address ? 1 : 0))
}

type Forgery = (agreed: [Paid, Paid, Paid]) => Paid[]

describe('a payment of a basket with a fee', () => {
  it.each<[string, Forgery]>([
    ['in which a seller’s transfer is missing', ([one, , fee]) => [one, fee]],
    ['in which the fee is left out', ([one, two]) => [one, two]],
    [
      'with a transfer too many, without a reference',
      ([one, two, fee]) => [one, two, fee, { ...two, lamports: 1_000_000n, references: [] }],
    ],
    ['with a seller’s transfer twice', ([one, two, fee]) => [one, two, two, fee]],
    ['with the fee twice', ([one, two, fee]) => [one, two, fee, fee]],
    ['that pays a seller a lamport less', ([one, two, fee]) => [{ ...one, lamports: one.lamports - 1n }, two, fee]],
    ['that pays a lamport less of a fee', ([one, two, fee]) => [one, two, { ...fee, lamports: fee.lamports - 1n }]],
    ['that pays a seller a lamport more', ([one, two, fee]) => [one, { ...two, lamports: two.lamports + 1n }, fee]],
    ['with the sellers swapped', ([one, two, fee]) => [{ ...one, to: two.to }, { ...two, to: one.to }, fee]],
    ['that pays the fee to a seller', ([one, two, fee]) => [one, two, { ...fee, to: one.to }]],
    ['with the reference on the first transfer only', ([one, two, fee]) => [one, { ...two, references: [] }, { ...fee, references: [] }]],
    ['with the reference on all but the fee', ([one, two, fee]) => [one, two, { ...fee, references: [] }]],
  ])('%s is a case for each seller who received SOL, and buys nothing', async (_, forge) => {
    const { purchase, agreed } = await holdBasket()
    const paid = forge(agreed as [Paid, Paid, Paid])
    const signature = await send(paid)
    await expect(confirm(purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    const got = (to: WalletAddress) => paid.filter((each) => each.to === to).reduce((sum, { lamports }) => sum + lamports, 0n)
    const sellers = [first, second].filter(({ address }) => got(address) > 0n)
    const cases = await casesAbout(signature)
    expect(cases.map(({ seller, lamports }) => [seller, lamports])).toEqual(sellers.map(({ address }) => [address, String(got(address))]))
    const owed = cases.flatMap(({ fee }) => (fee ? [fee] : []))
    expect(owed).toEqual(got(studio.address) > 0n ? [{ lamports: String(got(studio.address)), owedTo: buyer.address }] : [])
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    expect(await appleJuice(world, buyer)).toBe(1_000)
    expect(await confirm(purchase, await send(agreed))).toMatchObject({ settled: true })
    expect(await appleJuice(world, buyer)).toBe(1_020)
  })

  it('does not pay for another basket of the same sellers', async () => {
    const [one, other] = [await holdBasket(), await holdBasket()]
    const signature = await send(one.agreed)
    await expect(confirm(other.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await confirm(one.purchase, signature)).toMatchObject({ settled: true })
    await expect(confirm(other.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await casesAbout(signature)).toEqual([])
    expect(await readPurchase(world, other.purchase.purchaseId)).toMatchObject({ status: 'held' })
  })

  it('and of another in one transaction delivers the first that is named; what paid the other is in its cases', async () => {
    const [one, other] = [await holdBasket(), await holdBasket()]
    const signature = await send([...one.agreed, ...other.agreed])
    await expect(confirm(other.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await confirm(one.purchase, signature)).toMatchObject({ settled: true })
    expect(await casesAbout(signature)).toMatchObject(
      other.agreed.slice(0, 2).map(({ to, lamports }, index) => ({
        purchaseId: other.purchase.purchaseId,
        seller: to,
        lamports: String(lamports),
        fee: index === 0 ? { lamports: other.purchase.fee.lamports } : null,
      })),
    )
    expect(await casesAbout(signature)).toHaveLength(2)
  })
})

describe('a late payment of a basket', () => {
  it.each([
    ['is held by somebody else who then cancels', 'cancels'],
    ['was sold meanwhile', 'pays'],
  ])('of which a listing %s is refunded seller by seller, and then never delivered', async (_, rival) => {
    const { purchase, agreed } = await holdBasket('server')
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    const [taker, taken] = [await world.createWallet(), purchase.items[1]!.listingId]
    const rivalHold = await hold(world, taker, taken)
    if (rival === 'pays') await settle(taker, rivalHold)
    const signature = await send(agreed)
    await expect(confirm(purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    const cases = await casesAbout(signature)
    expect(cases).toMatchObject([
      { kind: 'late', seller: first.address, lamports: purchase.items[0]!.lamports, refundable: true },
      { kind: 'late', seller: second.address, lamports: purchase.items[1]!.lamports, refundable: true },
    ])

    await refund(first, cases[0]!)
    if (rival === 'cancels') await cancelHold(world.deps, taker.address, rivalHold.purchaseId)
    await expect(confirm(purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    await refund(second, cases[1]!)
    await reconcileUntil(world, async () =>
      expect((await casesAbout(signature)).map(({ status }) => status)).toEqual(['refunded', 'refunded']),
    )
    expect(await appleJuice(world, buyer)).toBe(1_000)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })
})

async function settle(wallet: Wallet, purchase: Purchase): Promise<void> {
  const { base64 } = await signTransfers(world, wallet, purchase, studio)
  await submitPayment(world.deps, wallet.address, purchase.purchaseId, base64)
  await untilStatus(world, purchase.purchaseId, 'settled')
}

async function refund(seller: Wallet, { caseId }: Case): Promise<void> {
  const { base64 } = await signRefund(world, seller, { caseId })
  await submitRefund(world.deps, seller.address, caseId, base64)
}

describe('an empty fee wallet', () => {
  it('that the fee would leave below the rent-exempt minimum is told before anything is held', async () => {
    const empty = await world.createWallet({ sol: 0n })
    world.deps.settings.fee = { basisPoints: 10, wallet: empty.address }
    const order = orderOf(buyer, [{ listingId: await list(world, first, { price: 100_000_000n }) }])
    await expect(placeHold(world.deps, order)).rejects.toMatchObject({ code: 'FEE_WALLET_EMPTY' })
    world.deps.settings.fee = { basisPoints: 1_000, wallet: empty.address }
    expect(await placeHold(world.deps, order)).toMatchObject({ feeLamports: 10_000_000n })
  })
})

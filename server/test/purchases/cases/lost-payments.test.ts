import { type Case } from '@juicebar/contract/schemas'
import { expect, it, vi } from 'vitest'
import { insertLostCase } from '../../../src/purchases/cases/unmatched-store.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { reconcileOpenCasesOf } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()

/** The case of a payment for a purchase that the database has lost. Its seller, new in each test, has another listing. */
async function lose() {
  const seller = await world.createWallet()
  const listingId = await world.list(seller)
  const lamports = 7_000_000n
  const signature = await world.transact(world.buyer, transfer(world.buyer, seller.address, lamports))
  const { slot } = (await world.chain.transaction(signature))!
  const genesisHash = await world.chain.genesisHash()
  const landing = { signature, slot, genesisHash, coSigned: false }
  const payment = { buyer: world.buyer.address, seller: seller.address, lamports, feeLamports: 0n }
  await world.database.transaction().execute((tx) => insertLostCase(tx, landing, payment))
  const [found] = await world.casesOf(seller)
  const untilCaseIs = (expected: Partial<Case>) =>
    world.reconcileUntil(async () => {
      for (const wallet of [seller, world.buyer]) expect(await world.casesAbout(signature, wallet)).toMatchObject([expected])
    })
  return { seller, listingId, lamports, found: found!, untilCaseIs }
}

const balanceOf = ({ address }: Wallet) => world.chain.balance(address, { fresh: true })

it.each([
  ['by the market', true],
  ['by the server alone', false],
])('a lost payment is paid back with one click: sent %s', async (_, coSigned) => {
  const { seller, lamports, found, untilCaseIs } = await lose()
  const explanation: string = expect.stringContaining('can send the SOL back with one click')
  expect(found).toMatchObject({ kind: 'lost', status: 'open', refundable: true, explanation })
  const before = await balanceOf(world.buyer)
  const refund = await world.signRefund(seller, found, { coSigned })
  expect(await submitRefund(world.deps, seller.address, found.caseId, refund.base64)).toBe(refund.signature)
  expect(await submitRefund(world.deps, seller.address, found.caseId, refund.base64)).toBe(refund.signature)
  await untilCaseIs({ status: 'refunded', refundSignature: refund.signature })
  expect(await balanceOf(world.buyer)).toBe(before + lamports)
  await expect(prepareRefund(world.deps, seller.address, found.caseId)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
})

it('only its seller pays a lost payment back', async () => {
  const { found } = await lose()
  await expect(prepareRefund(world.deps, world.buyer.address, found.caseId)).rejects.toEqual(refusal('NOT_YOUR_REFUND'))
  await expect(prepareRefund(world.deps, world.rival.address, found.caseId)).rejects.toEqual(refusal('CASE_NOT_FOUND'))
})

it("a lost payment that its seller's wallet pays back by itself is found when buyer or seller opens the list of cases", async () => {
  const { seller, found, untilCaseIs } = await lose()
  await world.sendByWallet(await world.signRefund(seller, found))
  await world.connection.pool.query('update cases set reconcile_at = null where id = $1', [found.caseId])
  await reconcileOpenCasesOf(world.database, world.buyer.address, 0)
  await untilCaseIs({ status: 'refunded' })
})

it('the listings of its seller stay frozen until a lost payment has been paid back', async () => {
  const { seller, listingId, found, untilCaseIs } = await lose()
  const buy = () => world.hold(world.rival, listingId)
  await expect(buy()).rejects.toEqual(refusal('LISTING_FROZEN'))
  const refund = await world.signRefund(seller, found, { coSigned: true })
  await submitRefund(world.deps, seller.address, found.caseId, refund.base64)
  await expect(buy()).rejects.toEqual(refusal('LISTING_FROZEN'))
  await expect(world.remove(listingId, seller)).rejects.toEqual(refusal('LISTING_FROZEN'))
  await untilCaseIs({ status: 'refunded' })
  await buy()
})

it('the refund of a lost payment that never lands can be sent again', async () => {
  const { seller, found, untilCaseIs } = await lose()
  const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
  const refund = await world.signRefund(seller, found, { coSigned: true })
  await submitRefund(world.deps, seller.address, found.caseId, refund.base64)
  await untilCaseIs({ status: 'open', refundable: true })
  broadcast.mockRestore()
  await world.reconcileUntil(async () => {
    const again = await world.signRefund(seller, found, { coSigned: true })
    await submitRefund(world.deps, seller.address, found.caseId, again.base64)
  })
  await untilCaseIs({ status: 'refunded' })
})

it('a lost payment of a local chain that was restarted is not paid back', async () => {
  const { seller, found } = await lose()
  await world.connection.pool.query(`update cases set genesis_hash = 'earlier' where id = $1`, [found.caseId])
  await expect(prepareRefund(world.deps, seller.address, found.caseId)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
})

import { CO_SIGNED_FEE_LAMPORTS, FEE_RESERVE_LAMPORTS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { startSurfnet, type TestChain } from '../support/test-chain.ts'
import { openTradingWorld, refusal, type TradingWorld, type Wallet } from './trading-world.ts'

/** In bytes: what an account without data pays rent for (Agave, `ACCOUNT_STORAGE_OVERHEAD`). */
const ACCOUNT_BYTES = 128n
const PRICE = 5_000_000n
/** What a wallet that sends by itself pays the network, and keeps for its priority fee. */
const OWN_FEES = SIGNATURE_FEE_LAMPORTS + FEE_RESERVE_LAMPORTS
/** As on the clusters in 2026, in lamports a byte: before, now, and as planned. */
const RENTS = [6_960n, 5_080n, 696n]
/** How long after its offer a wallet signs, in milliseconds, at slots of this length. */
const APPROVALS = [5_000, 25_000, 40_000, 55_000]
const CLUSTER_SLOT_MILLIS = 214

/** The chain runs by its clock; only what takes minutes at its pace is passed in a jump. */
describe.each([50, 200, 400])('a chain with slots of %i ms', (slotMillis) => {
  let chain: TestChain
  beforeAll(async () => void (chain = await startSurfnet(slotMillis)))
  afterAll(() => chain.stop())

  describe.each(['confirmed', 'finalized'] as const)('and deliveries at %s', (settleAt) => {
    describe.each(RENTS)('and rent of %i lamports a byte', (rentPerByte) => {
      const rentExempt = ACCOUNT_BYTES * rentPerByte
      let world: TradingWorld
      let seller: Wallet

      beforeAll(async () => {
        chain.setRent(rentPerByte)
        world = await openTradingWorld({ chain, settleAt })
        seller = await world.createWallet({ sol: 0n })
        expect(await world.chain.rentExemptMinimum()).toBe(rentExempt)
      })
      afterAll(async () => {
        await world.expectAllAddsUp()
        await world.close()
      })

      const listed = async () => [{ listingId: await world.list(seller, { price: PRICE }) }]
      const buyerWith = (sol: bigint) => world.createWallet({ sol })

      it('delivers to a wallet that keeps just what the chain wants, on both paths', async () => {
        const [buyer, alone] = [
          await buyerWith(PRICE + CO_SIGNED_FEE_LAMPORTS + rentExempt),
          await buyerWith(PRICE + OWN_FEES + rentExempt),
        ]
        const coSigned = await world.buyCoSigned(buyer, await listed())
        const held = await world.holdItems(alone, await listed())
        await world.payByWallet(alone, held)
        await world.untilStatus(coSigned, 'settled')
        await world.untilStatus(held, 'settled')
      })

      it('refuses before the payment what would leave a lamport less', async () => {
        const [buyer, alone] = [
          await buyerWith(PRICE + CO_SIGNED_FEE_LAMPORTS + rentExempt - 1n),
          await buyerWith(PRICE + OWN_FEES + rentExempt - 1n),
        ]
        await expect(world.buyCoSigned(buyer, await listed())).rejects.toEqual(refusal('PAYMENT_REFUSED'))
        await expect(world.holdItems(alone, await listed())).rejects.toEqual(refusal('INSUFFICIENT_SOL'))
      })

      it('frees what was reserved for bytes that never land, and what was held for nothing', async () => {
        const [items, others] = [await listed(), await listed()]
        vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
        const reserved = await world.buyCoSigned(await buyerWith(2n * PRICE), items)
        const held = await world.holdItems(await buyerWith(2n * PRICE), others)
        await world.closePaymentWindow(held)
        await world.untilStatus(reserved, 'ended')
        await world.untilStatus(held, 'ended')
        vi.restoreAllMocks()
        const again = await world.buyCoSigned(await buyerWith(4n * PRICE), [...items, ...others])
        await world.untilStatus(again, 'settled')
      })
    })
  })

  it.each(APPROVALS)('delivers what is approved after %i ms, at the second approval if the first is too late', async (millis) => {
    chain.setRent(RENTS[0]!)
    const world = await openTradingWorld({ chain })
    const buyer = await world.createWallet()
    const items = [{ listingId: await world.list(await world.createWallet()) }]
    const offer = await world.offer(buyer, items)
    const payment = await world.signOffer(buyer, offer)
    const slots = Math.ceil(millis / CLUSTER_SLOT_MILLIS)
    await world.mine(slots)
    const isTooLate = slots > 150
    if (isTooLate) await expect(world.pay(buyer, items, offer, payment)).rejects.toEqual(refusal('PAYMENT_EXPIRED'))
    const { purchaseId } = isTooLate ? await world.buyCoSigned(buyer, items) : await world.pay(buyer, items, offer, payment)
    await world.untilStatus({ purchaseId }, 'settled')
    await world.expectAllAddsUp()
    await world.close()
  })
})

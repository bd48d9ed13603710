import { beforeEach, expect, it, vi } from 'vitest'
import { type TradeRow } from '../../../src/market/figures.ts'
import { readTrades } from '../../../src/market/figure-store.ts'
import { stampSales } from '../../../src/studio/sales/sale-store.ts'
import { withOtherSignature } from '../../purchases/co-signed/co-signed-transactions.ts'
import { useTradingWorld } from '../../purchases/trading-world.ts'
import { newWallet } from '../../chain/transactions/transactions.ts'

const studio = await newWallet()
const world = useTradingWorld({ fee: { basisPoints: 250, wallet: studio.address } })
beforeEach(() => vi.restoreAllMocks())

/** The trades of a settled purchase, in the order of its items. */
async function tradesOf({ purchaseId }: { purchaseId: string }): Promise<TradeRow[]> {
  await world.untilStatus({ purchaseId }, 'settled')
  await stampSales(world.database, 1_000)
  const { trades } = await readTrades(world.connection.readPool, { tokenType: undefined, limit: 100, after: undefined })
  return trades.filter((trade) => trade.purchaseId === purchaseId).toSorted((a, b) => a.place - b.place)
}

it('a trade of a co-signed payment says so, and its items share the fee', async () => {
  const items = [{ listingId: await world.list() }, { listingId: await world.list() }]
  const purchase = await world.buyCoSigned(world.buyer, items)
  const trades = await tradesOf(purchase)
  expect(trades).toMatchObject([{ coSigned: true }, { coSigned: true }])
  const moved = trades.reduce((sum, { priceLamports, feeLamports }) => sum + priceLamports + feeLamports, 0n)
  expect(moved).toBe(BigInt(purchase.lamports) + BigInt(purchase.fee.lamports))
  expect(trades.every(({ feeLamports }) => feeLamports > 0n)).toBe(true)
})

it('a trade of a payment that its buyer alone signed says so, whether it was held or reserved', async () => {
  const held = await world.holdNew()
  await world.submit(world.buyer, held, await world.signTransfers(world.buyer, held, studio))
  expect(await tradesOf(held)).toMatchObject([{ coSigned: false }])

  const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
  const reserved = await world.buyCoSigned(world.rival, [{ listingId: await world.list() }])
  await world.untilStatus(reserved, 'ended')
  broadcast.mockRestore()
  await world.sendByWallet(await world.signTransfers(world.rival, reserved, studio))
  expect(await tradesOf(reserved)).toMatchObject([{ coSigned: false }])
})

it('a trade of a co-signed payment says so under any signature of its buyer', async () => {
  const buyer = await world.createSeededWallet()
  const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
  const purchase = await world.buyCoSigned(buyer, [{ listingId: await world.list() }])
  const copy = withOtherSignature(broadcast.mock.calls[0]![0], buyer.seed)
  await world.sendByWallet(copy)
  expect(await tradesOf(purchase)).toMatchObject([{ coSigned: true, signature: copy.signature }])
})

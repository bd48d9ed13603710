import { lamports } from '@juicebar/contract/money'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'
import { checkFunds, judgeFunds } from '../../../src/purchases/hold/check-funds.ts'
import { useTradingWorld } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const SOL = 1_000_000_000n
const world = useTradingWorld()

/** As if so many seconds had passed for every hold. */
const pass = (seconds: number) =>
  world.connection.pool.query(
    `update purchases set created_at = created_at - make_interval(secs => $1), funds_read_at = funds_read_at - make_interval(secs => $1),
       short_at = short_at - make_interval(secs => $1) where status = 'held'`,
    [seconds],
  )

async function check(): Promise<void> {
  await pass(11)
  await checkFunds(world.chainBut({ balance: (of) => world.chain.balance(of, { fresh: true }) }))
}

const isOpen = async ({ purchaseId }: Purchase) => (await world.read(purchaseId)).payMillisLeft > 0

/** A wallet of so much SOL that has held a listing and then given the SOL away. */
async function poorHolder() {
  const buyer = await world.createWallet({ sol: SOL })
  const purchase = await world.hold(buyer, await world.list(world.seller, { price: SOL / 2n }))
  await world.transact(buyer, transfer(buyer, world.rival.address, SOL / 2n))
  return { buyer, purchase }
}

describe('a pot of SOL that moves from wallet to wallet', () => {
  it('keeps the payment window of the last hold alone, after two readings, and the other listings are free once nothing can land', async () => {
    const holds: Purchase[] = []
    const wallets = await Promise.all([SOL, 0n, 0n].map((sol) => world.createWallet({ sol })))
    for (const [index, wallet] of wallets.entries()) {
      holds.push(await world.hold(wallet, await world.list(world.seller, { price: SOL / 2n })))
      const next = wallets[index + 1]
      if (next) await world.transact(wallet, transfer(wallet, next.address, SOL - BigInt(index + 1) * 10_000_000n))
    }
    await check()
    expect(await Promise.all(holds.map(isOpen))).toEqual([true, true, true])
    await check()
    expect(await Promise.all(holds.map(isOpen))).toEqual([false, false, true])
    await world.untilStatus(holds[0]!, 'ended')
    expect(await world.read(holds[0]!.purchaseId)).toMatchObject({ endReason: 'lapsed' })
    await expect(world.hold(world.rival, holds[0]!.listingId)).resolves.toMatchObject({ status: 'held' })
  })
})

describe('a hold whose buyer has too little SOL', () => {
  it('stays open if the SOL is back at the second reading', async () => {
    const { buyer, purchase } = await poorHolder()
    await check()
    await world.transact(world.rival, transfer(world.rival, buyer.address, SOL / 2n))
    await check()
    await check()
    expect(await isOpen(purchase)).toBe(true)
  })

  it('stays open if the readings are more than a minute apart', async () => {
    const { purchase } = await poorHolder()
    await check()
    await pass(60)
    await check()
    expect(await isOpen(purchase)).toBe(true)
  })

  it('stays open if that is because the payment is on the chain', async () => {
    const buyer = await world.createWallet({ sol: SOL })
    const purchase = await world.hold(buyer, await world.list(world.seller, { price: SOL / 2n }))
    await world.payByWallet(buyer, purchase)
    await check()
    await check()
    expect(await isOpen(purchase)).toBe(true)
    await world.untilStatus(purchase, 'settled')
  })

  it('stays open if a payment is recorded for it', async () => {
    const { buyer, purchase } = await poorHolder()
    const deaf = world.withChain({ broadcast: async () => undefined, simulate: async () => ({ kind: 'valid', slot: 0n }) })
    await deaf.submit(buyer, purchase, await world.signPayment(buyer, purchase))
    await check()
    await check()
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'sent' })
  })

  it('is not reopened by an outage before', async () => {
    const { purchase } = await poorHolder()
    await world.connection.pool.query(`insert into outages (began_at, ended_at) values (now() - interval '5 s', now() - interval '1 s')`)
    await check()
    await check()
    expect(await isOpen(purchase)).toBe(false)
    await world.connection.pool.query('truncate outages')
  })
})

it('what a wallet can spend covers its oldest holds first', () => {
  const [poor, rich] = ['poor', 'rich'] as WalletAddress[]
  const hold = (id: string, buyer = poor, wasShort = false) => ({ id, buyer: buyer!, lamports: lamports(100_000n), wasShort })
  const holds = [hold('1'), hold('2', poor, true), hold('3', poor), hold('4', rich, true)]
  const spendable = new Map([
    [poor!, 205_000n],
    [rich!, 105_000n],
  ])
  expect([...judgeFunds(holds, spendable).values()]).toEqual(['covered', 'short again', 'short', 'covered'])
})

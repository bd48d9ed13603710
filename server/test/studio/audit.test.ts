import { Failure } from '@juicebar/contract/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { runAudit } from '../../src/studio/run-audit.ts'
import { auditText } from '../../src/studio/audit-text.ts'
import {
  chainBut,
  hold,
  list,
  openTradingWorld,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../purchases/trading-world.ts'

const TRADES = 12

let world: TradingWorld

beforeAll(async () => {
  world = await openTradingWorld()
  const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
  for (let n = 0; n < TRADES; n++) await trade(seller, buyer, 10_000_000n + BigInt(n) * 1_000_000n)
})

afterAll(() => world.close())

async function trade(seller: Wallet, buyer: Wallet, price: bigint): Promise<void> {
  const purchase = await hold(world, buyer, await list(world, seller, { price }))
  await submitPayment(world.deps, buyer.address, purchase.purchaseId, (await signPayment(world, buyer, purchase)).base64)
  await untilStatus(world, purchase.purchaseId, 'settled')
}

describe('the money audit', () => {
  it('verifies every payment on chain again, a few at a time, so that purchases under way need not wait for it', async () => {
    let underWay = 0
    let most = 0
    const deps = chainBut(world, {
      transaction: async (signature) => {
        most = Math.max(most, (underWay += 1))
        return world.chain.transaction(signature).finally(() => (underWay -= 1))
      },
    })
    expect(await runAudit(deps)).toMatchObject({ ok: true, unchecked: [], purchases: { settled: TRADES, verifiedOnChain: TRADES } })
    expect(most).toBeLessThanOrEqual(4)
  })

  it('does not claim that everything adds up if it could not check everything', async () => {
    const deps = chainBut(world, { genesisHash: () => Promise.reject(new Failure('CHAIN_DOWN')) })
    const report = await runAudit(deps)
    expect(report.unchecked).toHaveLength(1)
    expect(auditText(report)).toContain('What could be checked adds up.')
    expect(auditText(await runAudit(world.deps))).toContain('Everything adds up.')
  })
})

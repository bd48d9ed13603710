import { expect, it } from 'vitest'

import { runChaos } from '../../chaos/run-chaos.ts'
import { singleScenario } from '../../chaos/single-scenario.ts'

const PURCHASES = 80

it('nobody loses SOL or tokens while servers, database and chain fail and clients crash', { timeout: 420_000 }, async () => {
  const say = () => undefined
  const pace = { purchases: PURCHASES, minutes: 3, perSecond: 10, slotMillis: 50 }
  const report = await runChaos(
    { seed: 4, buyers: 25, sellers: 8, keepLogs: false, say, ...pace },
    singleScenario({ chain: 'local', outageMillis: 4_000 }),
  )
  const { violations } = report
  expect({ violations, report: violations.length > 0 ? report.lines : [] }).toEqual({ violations: [], report: [] })
  expect(report.purchases).toBeGreaterThanOrEqual(PURCHASES)
  expect(report.settled).toBeGreaterThan(PURCHASES / 4)
})

import { expect, it, onTestFinished } from 'vitest'

import { defaultCatalogue } from '../../support/catalogue.ts'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { connectDatabase } from '../../../src/database/connect.ts'
import { createFailureLog } from '../../../src/logging/failure-log.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase-deps.ts'
import { createReferences } from '../../../src/purchases/reference.ts'
import { findPause } from '../../../src/restrictions/restriction-store.ts'
import { continueRecovery } from '../../../src/studio/recovery/continue-recovery.ts'
import { recoveryReply } from '../../../src/studio/recovery/recovery.ts'
import { acceptRecovery, requestRecovery, requireRecovery } from '../../../src/studio/recovery/request-recovery.ts'
import { collectLog } from '../../logging/collected-log.ts'
import { freshDatabase } from '../../support/fresh-database.ts'

/** A market whose chain does not answer. */
async function openMarket(): Promise<PurchaseDeps> {
  const fresh = await freshDatabase()
  const { log } = collectLog()
  const connection = connectDatabase(fresh.url, () => undefined)
  const chain = createChain({ endpoints: ['http://127.0.0.1:9'], log })
  onTestFinished(async () => {
    await chain.stop()
    await connection.close()
    await fresh.drop()
  })
  return {
    database: connection.database,
    chain,
    catalogue: defaultCatalogue,
    settings: { settleAt: 'confirmed', holdSeconds: 60, fee: { basisPoints: 0, wallet: undefined } },
    references: createReferences(['r'.repeat(32)]),
    log,
    failures: createFailureLog(log),
  }
}

it('a chain that does not answer leaves the market paused, until the studio accepts it with a reason', async () => {
  const deps = await openMarket()
  const { database } = deps
  const signal = AbortSignal.timeout(30_000)
  const request = () => requestRecovery(deps, { since: undefined, actor: 'root' })
  const recoverInVain = () => continueRecovery(deps, { signal, patience: { downMillis: 0, busyMillis: 0 } })
  const accept = (id: string) => acceptRecovery(database, { id, reason: 'There was nothing yet.', actor: 'ops' })

  const first = await request()
  expect((await request()).id).toBe(first.id)
  await expect(accept(first.id)).rejects.toMatchObject({ code: 'RECOVERY_NOT_ACCEPTABLE' })
  await recoverInVain()
  expect(recoveryReply(await requireRecovery(database, first.id))).toMatchObject({
    outcome: 'unchecked',
    marketPaused: true,
    casesOpened: 0,
  })
  expect(await findPause(database)).toBeDefined()

  const second = await request()
  expect(second).toMatchObject({ rewindId: first.rewindId })
  await recoverInVain()
  await expect(accept(first.id)).rejects.toMatchObject({ code: 'RECOVERY_NOT_ACCEPTABLE' })
  expect(await accept(second.id)).toMatchObject({ isPaused: false })
  expect(await findPause(database)).toBeUndefined()
  const entries = await database.selectFrom('studioLog').select(['actor', 'call', 'subject', 'reason']).orderBy('id').execute()
  expect(entries).toEqual([
    { actor: 'root', call: 'startRecovery', subject: first.id, reason: null },
    { actor: 'root', call: 'startRecovery', subject: second.id, reason: null },
    { actor: 'ops', call: 'acceptRecovery', subject: second.id, reason: 'There was nothing yet.' },
  ])
  await expect(accept('no id')).rejects.toMatchObject({ code: 'RECOVERY_NOT_FOUND' })
})

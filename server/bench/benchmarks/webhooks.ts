import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase } from '../../src/database/connect.ts'
import { settlePurchase } from '../../src/purchases/settlement/settlement-store.ts'
import { createWebhook } from '../../src/studio/webhooks/change-webhooks.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { addHeldPurchases } from '../databases/held-purchases.ts'
import { compare, type Line, percentile, type Sample } from '../measure/comparison.ts'

const EVENTS_A_MINUTE = 5_000
const RECEIVERS = 3
/** Six seconds of them. */
const PURCHASES = 500
const SELLERS = 1_000
const BYTES = Buffer.alloc(220)

/** How long a settlement takes, 5,000 a minute, while three webhooks are told of each, and without webhooks. */
export async function benchmarkWebhooks(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const url = await databases.empty()
  const { pool, database, close } = connectDatabase(url, () => undefined)
  const child = fork(new URL('../servers/webhooks-process.ts', import.meta.url), [url, String(RECEIVERS)], {
    execArgv: process.execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [urls]: string[][] = await once(child, 'message')

  const settleAll = async (): Promise<Sample> => {
    const purchases = await addHeldPurchases(pool.pg, { count: PURCHASES, sellers: SELLERS })
    const startedAt = performance.now()
    const millis = await Promise.all(
      purchases.map(async ({ purchaseId, signature }, turn) => {
        await sleep(Math.max(0, startedAt + (turn * 60_000) / EVENTS_A_MINUTE - performance.now()))
        const at = performance.now()
        const payment = { signature, slot: 10n, transactionBytes: BYTES, expiryHeight: 160n, referenced: true }
        const { outcome } = await settlePurchase(database, purchaseId, payment)
        if (outcome !== 'settled') throw new Error(`settling a purchase returned ${outcome}`)
        return performance.now() - at
      }),
    )
    millis.sort((a, b) => a - b)
    return { perSecond: 1_000 / percentile(millis, 0.5), millis }
  }
  const withWebhooks = async (): Promise<Sample> => {
    const before = await countReceived(child)
    for (const receiver of urls ?? []) {
      await createWebhook(database, { url: receiver, events: ['sale.settled'], allowPrivate: true, actor: 'bench' })
    }
    const sample = await settleAll()
    while ((await countReceived(child)) < before + PURCHASES * RECEIVERS) await sleep(50)
    await pool.query('delete from webhooks')
    return sample
  }

  try {
    return [
      await compare(
        {
          name: `settlement, ${EVENTS_A_MINUTE.toLocaleString('en')} events a minute to ${RECEIVERS} webhooks`,
          reference: 'no webhook',
          unit: '/s',
          goal: { least: 0.95 },
          ours: withWebhooks,
          theirs: settleAll,
        },
        pairs,
      ),
    ]
  } finally {
    child.kill()
    await close()
  }
}

async function countReceived(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message')
  child.send('how many')
  const [count]: number[] = await answer
  return count ?? 0
}

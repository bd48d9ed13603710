import { freshDatabase } from '../support/fresh-database.ts'
import { openApp } from '../support/start-app.ts'

export interface ExercisedServer {
  /** Of its metrics. */
  url: string
  stop(): Promise<void>
}

/** A server that has counted something of each kind, so that a scrape has every series that need not wait for an outage. */
export async function startExercised(): Promise<ExercisedServer> {
  const fresh = await freshDatabase()
  const app = await openApp(fresh.url, { metrics: true })
  await app.started
  for (const path of ['/health', '/api/marketplace/listings', '/api/marketplace/listings/nothing', '/nowhere'])
    await fetch(`${app.origin}${path}`)
  const purchases = app.metrics?.counts.purchases
  purchases?.holdPlaced()
  purchases?.holdRefused('CHAIN_BUSY')
  purchases?.holdEnded('lapsed')
  purchases?.caseChanged('opened', 'late')
  purchases?.caseChanged('closed', 'late')
  purchases?.settled({ tokenTypes: ['APPLE_JUICE'], priceLamports: 1n, secondsSinceConfirmed: 1, secondsSinceSubmitted: 2 })
  await app.connection.pool.query(
    `insert into cases (kind, signature, lamports, deliverable, seller, buyer, genesis_hash, paid_at_slot)
      values ('lost', 'signature', 1, false, 'seller', 'buyer', '', 0)`,
  )
  return {
    url: app.metricsUrl,
    stop: async () => {
      await app.stop()
      await fresh.drop()
    },
  }
}

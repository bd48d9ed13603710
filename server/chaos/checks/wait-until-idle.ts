import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { type Journal } from '../players/journal.ts'

/** Long enough for holds to end, refunds to land, and late payments to be found: up to a minute after their hold ends. */
const TIMEOUT_MILLIS = 240_000
const POLL_MILLIS = 500

interface Expected {
  journal: Journal
  /** Signatures of the payments that the chain has confirmed. */
  confirmed: Iterable<string>
  /** Those that the chain, or what the product sees of it, has lost again. */
  lost: ReadonlySet<string>
}

/** Waits until the product has nothing left to do: no open hold, no refund under way, no payment that it has not found. */
export async function waitUntilIdle(databaseUrl: string, readExpected: () => Promise<Expected>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    for (const deadline = Date.now() + TIMEOUT_MILLIS; Date.now() < deadline; await delay(POLL_MILLIS)) {
      if (await isIdle(client, await readExpected())) return
    }
  } finally {
    await client.end()
  }
}

async function isIdle(client: pg.Client, { journal, confirmed, lost }: Expected): Promise<boolean> {
  const { rows } = await client.query<{ busy: boolean; known: string[] }>(`
    select exists (select from purchases where status = 'held')
        or exists (select from cases where status = 'refunding')
        or exists (select from purchases p where status = 'settled' and finalized_at is null
                   and not exists (select from cases c where c.purchase_id = p.id and c.kind = 'vanished')) as busy,
      array(select signature from purchases where signature is not null union select signature from cases
            union select signature from payments where status = 'settled') as known`)
  const known = new Set(rows[0]?.known)
  const missing = [...confirmed].filter((signature) => !known.has(signature) && !lost.has(signature) && journal.payments.has(signature))
  return rows[0]?.busy === false && missing.length === 0
}

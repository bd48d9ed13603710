import { expiryJob } from '../../src/checkouts/open-checkout.ts'
import { type DatabaseConnection } from '../../src/database/connect.ts'

/** Lets the time of a checkout run out. */
export async function overdue(pool: DatabaseConnection['pool'], id: string): Promise<void> {
  await pool.query("update checkouts set expires_at = now() - interval '1 second' where id = $1", [id])
}

/** Does what every server does each second. */
export async function endOverdueCheckouts(database: DatabaseConnection['database']): Promise<void> {
  await expiryJob(database).run(new AbortController().signal)
}

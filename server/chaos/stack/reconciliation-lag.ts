import pg from 'pg'

/** Reads how many seconds the most overdue open hold has waited for reconciliation. */
export interface ReconciliationLag {
  /** @returns undefined while the database is down */
  seconds(): Promise<number | undefined>
  stop(): Promise<void>
}

const QUERY = `select greatest(0, extract(epoch from now() - min(reconcile_at)))::float8 as seconds from purchases where status = 'held'`

export function openReconciliationLag(databaseUrl: string): ReconciliationLag {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, connectionTimeoutMillis: 2_000 })
  pool.on('error', () => undefined)
  return {
    seconds: async () => {
      const reply = await pool.query<{ seconds: number | null }>(QUERY).catch(() => undefined)
      return reply?.rows[0]?.seconds ?? undefined
    },
    stop: () => pool.end(),
  }
}

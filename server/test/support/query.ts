import pg from 'pg'

/** Runs one statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // Whoever asks hears of a lost connection by the statement that fails.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

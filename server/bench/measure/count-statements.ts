import pg from 'pg'

/** How many statements this process sends to the database while `work` runs, `begin` and `commit` included. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { query } = pg.Client.prototype
  let statements = 0
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...parameters: unknown[]): unknown {
      statements++
      return Reflect.apply(query, this, parameters)
    },
  })
  try {
    await work()
    return statements
  } finally {
    pg.Client.prototype.query = query
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { makeSchema } from './make-schema.ts'

/** `npm run schema`: migrates an empty database of its own and writes what that is, as SQL to read and as types for the query builder. */
const server = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const folder = await mkdtemp(join(tmpdir(), 'juicebar-schema-'))
try {
  const { sql, types } = await makeSchema({ dataDir: folder, migrations: server('migrations') })
  await writeFile(server('schema.sql'), sql)
  await writeFile(server('src/database/schema.ts'), types)
} finally {
  await rm(folder, { recursive: true })
}

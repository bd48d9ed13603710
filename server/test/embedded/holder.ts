import { pino } from 'pino'

import { openDataDir } from '../../src/embedded/data-dir/data-dir.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres/postgres.ts'

/** A process that keeps a data folder locked until it is killed; with `postgres` as its second argument it also runs a database there. */
const [folder = '', part] = process.argv.slice(2)
const dataDir = await openDataDir(folder, { waitMillis: 0 })
const log = pino({ level: 'silent' })
const url = part === 'postgres' ? (await startEmbeddedPostgres({ dataDir: dataDir.path, log })).url : 'no database'
process.stdout.write(url)
setInterval(() => undefined, 60_000)

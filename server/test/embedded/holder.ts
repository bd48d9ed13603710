import { openDataDir } from '../../src/embedded/data-dir.ts'

/** A process that keeps a data folder locked until it is killed; with `postgres` as its second argument it also runs a database there. */
const [folder = '', part] = process.argv.slice(2)
const dataDir = await openDataDir(folder, { waitMillis: 0 })
process.stdout.write(part === 'postgres' ? await startDatabase() : 'no database')
setInterval(() => undefined, 60_000)

/** What it imports takes longer to load than all the rest. */
async function startDatabase(): Promise<string> {
  const [{ pino }, { startEmbeddedPostgres }] = await Promise.all([import('pino'), import('../../src/embedded/postgres.ts')])
  return (await startEmbeddedPostgres({ dataDir: dataDir.path, log: pino({ level: 'silent' }) })).url
}

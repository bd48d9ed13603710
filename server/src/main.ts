import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Logger } from 'pino'
import { marketTitle } from '@juicebar/contract/market-settings'
import { createApp } from './app/app.ts'
import { type Brand, marketName } from './brand/brand.ts'
import { readBrand } from './brand/read-brand.ts'
import { type Catalogue } from './catalogue/catalogue.ts'
import { readCatalogue } from './catalogue/read-catalogue.ts'
import { checkFeeWallet } from './purchases/purchase/check-fee-wallet.ts'
import { createRelay } from './chain/client/relay.ts'
import { createChain } from './chain/client/solana-chain.ts'
import { type Config, readConfig } from './config.ts'
import { connectDatabase } from './database/connect.ts'
import { newestMigration } from './database/migration-files.ts'
import { type DataDir } from './embedded/data-dir.ts'
import { type Demo, type DemoDeps } from './embedded/demo.ts'
import { type EmbeddedPostgres } from './embedded/postgres.ts'
import { createFailureLog } from './runtime/outage.ts'
import { createLog, logAlways } from './runtime/log.ts'
import { createShutdown, type Shutdown } from './runtime/shutdown.ts'
import { type Network } from './settings/setting-reader.ts'

/** The same relative paths hold from `src` and from `dist`. */
const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))
const webFolder = fileURLToPath(new URL('../../web/dist', import.meta.url))
const catalogueFile = fileURLToPath(new URL('../catalogue/catalogue.json', import.meta.url))
const securityPolicyFile = fileURLToPath(new URL('../../SECURITY.md', import.meta.url))
const packageFile = new URL('../package.json', import.meta.url)
/** SQLSTATEs of a wrong user, password or database (PostgreSQL, appendix A). */
const REFUSED_BY_DATABASE = /^(?:28...|3D000)$/

/** Importing this module starts the server. If that fails, the process prints a sentence and exits with 1; if it is interrupted, nothing. */
async function main(): Promise<void> {
  let shutdown: Shutdown | undefined
  try {
    const settings = readConfig(process.env, { terminal: process.stdout.isTTY })
    const brand = await readBrand(settings.brandDir)
    const catalogue = await readCatalogue(settings.catalogue, { surfaces: brand.surfaces, house: catalogueFile })
    const config = { ...settings, productName: marketName(settings.productName, brand) }
    const log = createLog(config.logLevel)
    shutdown = createShutdown({ log, drainSeconds: config.drainSeconds })
    await start({ config, brand, catalogue, log, shutdown })
  } catch (error) {
    // Whatever an interrupted start could not finish does not matter.
    if (!shutdown?.signal.aborted) process.stderr.write(`\n${whyNotStarted(error)}\n`)
    await shutdown?.end(1)
    process.exit(1)
  }
}

interface Start {
  config: Config
  brand: Brand
  catalogue: Catalogue
  log: Logger
  shutdown: Shutdown
}

async function start({ config, brand, catalogue, log, shutdown }: Start): Promise<void> {
  const dataDir = await openDataDirIfNeeded(config, shutdown)
  const [{ url: databaseUrl, files }, rpcUrls, jwtSecret, studioApiKey, referenceSecrets] = await Promise.all([
    config.databaseUrl === undefined
      ? startPostgres(requireDataDir(dataDir), log, shutdown)
      : { url: config.databaseUrl, files: undefined },
    config.rpcUrls ?? startLocalChain(config, log, shutdown),
    config.jwtSecret ?? requireDataDir(dataDir).secret('JWT_SECRET'),
    config.studioApiKey ?? requireDataDir(dataDir).secret('STUDIO_API_KEY'),
    config.referenceSecrets ?? readReferenceSecrets(config, dataDir),
  ])

  const failures = createFailureLog(log)
  const connection = connectDatabase(databaseUrl, ({ message }) => failures.database.failed(message), {
    migration: await newestMigration(migrationsFolder),
    connections: config.databaseConnections,
    ...(config.databaseReadUrl !== undefined && { replica: { url: config.databaseReadUrl, log } }),
  })
  await shutdown.onStop('the database connection', () => connection.close())
  const chain = createChain({ endpoints: rpcUrls, requestsPerSecond: config.rpcLimits, network: config.network, log })
  await shutdown.onStop('the chain client', () => chain.stop())
  await chain.start()
  await shutdown.onStop('the check of the fee wallet', await checkFeeWallet(config.fee, { chain, log, failures }))

  const version = await readVersion()
  const relay = createRelay(chain.pool, { demo: config.demo && config.network === 'localnet' })
  const demo = config.demo ? await openDemo(config, { database: connection.database, catalogue, log }, jwtSecret) : undefined
  const app = await createApp({
    config,
    brand,
    catalogue,
    jwtSecret,
    studioApiKey,
    ...(referenceSecrets && { referenceSecrets }),
    connection,
    // The built-in chain forgets all payments when it stops.
    databaseFiles: config.rpcUrls && files,
    chain,
    endpoints: chain.pool.endpoints,
    relay,
    log,
    failures,
    version,
    webFolder,
    migrationsFolder,
    securityPolicyFile,
    ...(demo && { onFirstSignIn: demo.welcome }),
  })
  await shutdown.onStop('the server', (how) => app.stop(how))
  await app.start()
  shutdown.signal.throwIfAborted()
  await demo?.seed()
  shutdown.signal.throwIfAborted()
  const studioKeyFile = config.studioApiKey === undefined && dataDir ? join(dataDir.path, 'STUDIO_API_KEY') : undefined
  announceStart(config, { dataFolder: dataDir?.path, studioKeyFile }, log)
}

/** Embedded services and generated secrets need a data folder. A server with every setting does not. */
async function openDataDirIfNeeded(config: Config, shutdown: Shutdown): Promise<DataDir | undefined> {
  if (config.databaseUrl && config.jwtSecret && config.studioApiKey) return undefined
  const { openDataDir } = await import('./embedded/data-dir.ts')
  const dataDir = await openDataDir(config.dataDir, { onWait: (sentence) => process.stderr.write(`${sentence}\n`) })
  await shutdown.onStop('the data folder', () => dataDir.release())
  return dataDir
}

function requireDataDir(dataDir: DataDir | undefined): DataDir {
  if (!dataDir) throw new Error('the data folder was not opened')
  return dataDir
}

/** @returns undefined with an external database: the servers, which share no folder, then use the sessions' secret, which they share */
async function readReferenceSecrets({ databaseUrl }: Config, dataDir: DataDir | undefined): Promise<string[] | undefined> {
  return databaseUrl === undefined ? [await requireDataDir(dataDir).secret('REFERENCE_SECRET')] : undefined
}

async function startPostgres(dataDir: DataDir, log: Logger, shutdown: Shutdown): Promise<EmbeddedPostgres> {
  const { startEmbeddedPostgres } = await import('./embedded/postgres.ts')
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log })
  await shutdown.onStop('the embedded database', () => postgres.stop())
  return postgres
}

async function startLocalChain({ fee }: Config, log: Logger, shutdown: Shutdown): Promise<string[]> {
  const embedded = await import('./embedded/local-chain.ts')
  const localChain = await embedded.startLocalChain({ log, funded: fee.wallet })
  await shutdown.onStop('the embedded chain', () => localChain.stop())
  return [localChain.rpcUrl]
}

async function openDemo(config: Config, deps: DemoDeps, secret: string): Promise<Demo> {
  const { createDemo } = await import('./embedded/demo.ts')
  return createDemo(config, deps, secret)
}

async function readVersion(): Promise<string> {
  const content: unknown = JSON.parse(await readFile(packageFile, 'utf8'))
  if (typeof content === 'object' && content !== null && 'version' in content) return String(content.version)
  throw new Error('package.json has no version')
}

function whyNotStarted(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  const address = 'address' in error && 'port' in error ? `${String(error.address)}:${String(error.port)}` : 'this address'
  if (code === 'EADDRINUSE') return `${address} is in use by another program. Stop that one, or set PORT to another port.`
  if (code === 'EACCES' && 'port' in error) return `This user may not listen on ${address}. Set PORT to a port above 1023.`
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine. Set HOST to one of its addresses.`
  if (typeof code === 'string' && REFUSED_BY_DATABASE.test(code)) return `The database refuses what DATABASE_URL says: ${error.message}.`
  return error.message
}

interface Places {
  dataFolder: string | undefined
  studioKeyFile: string | undefined
}

const networkTexts: Record<Network, string> = {
  localnet: 'localnet, a chain on this machine: its SOL is play money',
  devnet: 'devnet: its SOL is play money',
  testnet: 'testnet: its SOL is play money',
  mainnet: 'mainnet: real money',
}

/**
 * Says that the market is open: to a person at a terminal as a text, else as one line of the log, so that standard output that is
 * collected has nothing but JSON.
 */
function announceStart(config: Config, places: Places, log: Logger): void {
  if (process.stdout.isTTY) process.stdout.write(startedText(config, places))
  else logAlways(log, { network: networkTexts[config.network], settleAt: config.settleAt, ...places }, openText(config))
}

function openText({ productName, publicOrigin }: Config): string {
  return `${marketTitle(productName)} is open at ${publicOrigin}`
}

/** What a person who has just started the product wants to know. It contains no secret. */
function startedText(config: Config, { dataFolder, studioKeyFile }: Places): string {
  const rows = [
    ['Network', networkTexts[config.network]],
    ['Tokens move', `when a payment is ${config.settleAt}`],
    ['Data', config.databaseUrl === undefined ? `${dataFolder} (PostgreSQL inside)` : 'in the PostgreSQL of DATABASE_URL'],
    ['Studio key', studioKeyFile ?? 'the one of STUDIO_API_KEY'],
    ['API', `${config.publicOrigin}/docs`],
  ].map(([name = '', text = '']) => `  ${name.padEnd(12)} ${text}\n`)
  const lines = ['\n', `  ${openText(config)}\n`, '\n', ...rows, '\n', whatToTry(config), '  Ctrl-C stops everything.\n\n']
  return lines.join('')
}

function whatToTry({ demo, network }: Config): string {
  if (demo && network === 'localnet') return '  Try it: connect the Demo Wallet, get test SOL, and buy a drink. No extension is needed.\n'
  return '  Try it: connect a Phantom wallet and sign in.\n'
}

await main()

import { type Audit } from '@juicebar/contract/schemas'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { createChain } from '../chain/client/solana-chain.ts'
import { connectDatabase, type DatabaseConnection } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { createFailureLog } from '../runtime/outage.ts'
import { createLog } from '../runtime/log.ts'
import { createCoSigners } from '../purchases/purchase/co-signer.ts'
import { createReferences } from '../purchases/purchase/reference.ts'
import { type Config } from '../config.ts'
import { readAudit, requestAudit, runAudit } from '../studio/audit/run-audits.ts'
import { typedCommand } from './commands.ts'

interface CopyParts {
  /** Of this version. */
  migrationsFolder: string
  catalogue: Catalogue
}

/**
 * Audits a restored copy of the database at DATABASE_URL: upgrades it as a server would, and checks everything in it, the payments on
 * chain. It is not a server: it sends no payment and no webhook, and delivers nothing.
 *
 * @throws Error with a sentence if servers are using the database, a setting is missing, or database or chain do not answer
 */
export async function auditCopy(config: Config, { migrationsFolder, catalogue }: CopyParts): Promise<Audit> {
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL')
  const endpoints = required(config.rpcUrls, 'SOLANA_RPC_URL')
  const log = createLog(config.logLevel)
  const failures = createFailureLog(log)
  const connection = connectDatabase(databaseUrl, ({ message }) => failures.database.failed(message))
  const chain = createChain({ endpoints, requestsPerSecond: config.rpcLimits, network: config.network, log })
  try {
    await refuseWithServers(connection)
    await migrate(connection.migrationPool, migrationsFolder)
    await chain.start()
    const { database } = connection
    const secrets = config.referenceSecrets ?? [required(config.jwtSecret, 'JWT_SECRET')]
    const [references, coSigners] = [createReferences(secrets), createCoSigners(secrets)]
    const { id } = await requestAudit(database, { full: true })
    await runAudit({ database, chain, catalogue, settings: config, references, coSigners, log, failures }, { full: true })
    return await readAudit(database, id)
  } finally {
    await chain.stop()
    await connection.close()
  }
}

/** For a database that servers are using, run `npm run audit` instead: this command would upgrade the database under them. */
async function refuseWithServers({ migrationPool }: DatabaseConnection): Promise<void> {
  const { rows } = await migrationPool.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name ~ '^juicebar( |$)' limit 1`,
  )
  if (rows.length > 0) throw new Error(`Servers work on this database, so it is no copy. Audit it with "${typedCommand('audit')}".`)
}

function required<Value>(value: Value | undefined, setting: string): Value {
  if (value === undefined) throw new Error(`${setting} is not set.`)
  return value
}

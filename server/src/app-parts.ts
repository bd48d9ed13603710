import { type WalletAddress } from '@juicebar/contract/addresses'
import { type FastifyBaseLogger, type FastifyInstance } from 'fastify'

import { type Brand } from './brand/brand.ts'
import { type Catalogue } from './catalogue/catalogue.ts'
import { type Chain } from './chain/chain.ts'
import { type Relay } from './chain/relay/relay.ts'
import { type DatabaseConnection } from './database/connect.ts'
import { type FailureLog } from './logging/failure-log.ts'
import { type Metrics } from './metrics/metrics.ts'
import { type EndpointUse } from './metrics/readings.ts'
import { type Config } from './settings/config.ts'

/** The parts that the server is built from. */
export interface AppParts {
  config: Config
  jwtSecret: string
  /** As `createReferences` and `createCoSigners` take them; the secret of the sessions by default. */
  referenceSecrets?: readonly string[]
  studioApiKey: string
  connection: DatabaseConnection
  /** Distinguishes a built-in database from a copy of it, if payments outlive both. */
  databaseFiles?: string | undefined
  chain: Chain
  /** The chain's endpoints with their own counts, for the metrics. */
  endpoints?: readonly EndpointUse[]
  relay: Relay
  log: FastifyBaseLogger
  failures: FailureLog
  version: string
  /** Juicebar's own by default. */
  brand?: Brand
  catalogue: Catalogue
  /** The built web app. */
  webFolder: string
  migrationsFolder: string
  /** How to report a vulnerability, for people. */
  securityPolicyFile?: string
  /** See `SignInOptions`. Must be idempotent. */
  onFirstSignIn?: (wallet: WalletAddress) => Promise<void>
}

export interface App {
  fastify: FastifyInstance
  /** Undefined unless they are switched on. */
  metrics: Metrics | undefined
  /**
   * Listens at once and answers DATABASE_DOWN or UPGRADING until the database is migrated. Resolves when it is and the background work
   * has started. Rejects if the address cannot be bound or a migration fails.
   */
  start(): Promise<void>
  /**
   * Stops once the calls under way are done. With `drain`, it first reports that it is not ready and continues as usual for a while;
   * stopping it again without `drain` ends that.
   */
  stop(how?: { drain: boolean }): Promise<void>
}

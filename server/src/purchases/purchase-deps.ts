import { type FastifyBaseLogger } from 'fastify'

import { type Chain } from '../chain/chain.ts'
import { type Database } from '../database/connect.ts'
import { type FailureLog } from '../logging/failure-log.ts'
import { type PurchaseSettings } from './purchase.ts'
import { type References } from './reference.ts'

/** What every action on a purchase works with. */
export interface PurchaseDeps {
  database: Database
  chain: Chain
  settings: PurchaseSettings
  references: References
  log: FastifyBaseLogger
  failures: FailureLog
}

import { type FastifyBaseLogger } from 'fastify'

import { type Chain } from '../chain/chain.ts'
import { type Database } from '../database/connect.ts'
import { type PurchaseSettings } from './purchase.ts'

/** What the actions of a purchase work with. */
export interface PurchaseDeps {
  database: Database
  chain: Chain
  settings: PurchaseSettings
  log: FastifyBaseLogger
}

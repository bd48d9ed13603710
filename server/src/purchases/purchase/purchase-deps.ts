import { type ErrorCode } from '@juicebar/contract/errors'
import { type CaseKind, type EndReason } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type FastifyBaseLogger } from 'fastify'
import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Chain } from '../../chain/chain.ts'
import { type Database } from '../../database/connect.ts'
import { type FailureLog } from '../../runtime/outage.ts'
import { type PurchaseSettings } from './purchase.ts'
import { type CoSigners } from './co-signer.ts'
import { type References } from './reference.ts'

/** The figures of a delivery that metrics count. */
export interface SettledPurchase {
  /** Of each of its items. */
  tokenTypes: readonly TokenType[]
  priceLamports: bigint
  /** Since a server first saw the payment confirmed. */
  secondsSinceConfirmed: number
  /** Since the payment was recorded; null if it was not, because a wallet sent it itself. */
  secondsSinceSubmitted: number | null
}

/** Is notified of what this server has committed and what it has refused. Never throws. */
export interface PurchaseObserver {
  holdPlaced(): void
  offered(): void
  /** Everything that a co-signed payment pays for is reserved. */
  reserved(): void
  /** A hold, an offer or a co-signed payment was refused. */
  holdRefused(code: ErrorCode): void
  /** A hold has ended unpaid. */
  holdEnded(reason: EndReason): void
  settled(purchase: SettledPurchase): void
  caseChanged(change: 'opened' | 'closed', kind: CaseKind): void
}

/** The dependencies of every action on a purchase. */
export interface PurchaseDeps {
  database: Database
  chain: Chain
  /** What is traded here. */
  catalogue: Catalogue
  settings: PurchaseSettings
  references: References
  coSigners: CoSigners
  log: FastifyBaseLogger
  failures: FailureLog
  observer?: PurchaseObserver | undefined
}

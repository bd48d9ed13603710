import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { type Audit, type AuditReport } from '@juicebar/contract/schemas'
import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { type AuditRow, auditReply, auditSummary, afterLedger, afterPage, type AuditStep, givenUp, auditReport } from './audit.ts'
import {
  findRunningAudit,
  insertAudit,
  makeRunningAuditFull,
  findAudit,
  listAudits,
  leaseAudit,
  readAuditPage,
  saveAudit,
} from './audit-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { countFailure, renewLease } from '../log/studio-log-store.ts'
import { readLedger } from './ledger-check-store.ts'
import { ChainSilent, PATIENCE, type Patience, verifyPayments } from './verify-payments.ts'
import { delay, type Job } from '../../runtime/repeat.ts'
import { isId } from '@juicebar/contract/ids'

interface AuditRequest {
  full: boolean
  /** Whose key or wallet starts it, unless one is running. */
  startedBy?: string
  record?: (tx: Tx, id: string) => Promise<void>
}

/**
 * Starts an audit from the watermark of the one before, or of everything if it is to be `full`. There is one at a time: while one is
 * running, that one is returned, and made full if need be. Any server can continue it. `record` is told the id of one that is started or
 * made full, in the transaction that does it.
 */
export async function requestAudit(database: Database, { full, startedBy, record }: AuditRequest): Promise<AuditRow> {
  for (;;) {
    await inTransaction(database, async (tx) => {
      const id = (await insertAudit(tx, { full, startedBy: startedBy ?? null })) ?? (full ? await makeRunningAuditFull(tx) : undefined)
      if (id !== undefined) await record?.(tx, id)
    })
    const running = await findRunningAudit(database)
    // None is running if it finished just now: then the next turn starts one.
    if (running && (running.isFull || !full)) return running
  }
}

/** @throws AUDIT_NOT_FOUND */
export async function readAudit(database: Database, id: string): Promise<Audit> {
  const audit = isId(id) ? await findAudit(database, id) : undefined
  if (!audit) throw new Failure('AUDIT_NOT_FOUND')
  return auditReply(audit)
}

/**
 * One page of the audits, the newest first.
 * @throws CURSOR_INVALID
 */
export async function readAudits(
  database: Database,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Reply<'audits'>> {
  if (cursor !== undefined && !isId(cursor)) throw new Failure('CURSOR_INVALID')
  const rows = await listAudits(database, { before: cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { audits: shown.map(auditSummary), nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}

/** If a server is killed, another continues its audit after this long. */
const LEASE_SECONDS = 10
const RENEW_MILLIS = 2_500
/** Payments between two records of the audit's progress. */
const PAGE = 200
/** An audit ends if this many attempts in a row have failed. */
const MAX_FAILURES = 10

export interface Working {
  signal: AbortSignal
  patience?: Patience
  pageSize?: number
}

/**
 * Continues the running audit until it is done, the signal aborts or another server has taken it over: recomputes every balance from
 * the ledger, checks the invariants I1 to I7, and verifies payments on chain. Any server can continue where it stops.
 *
 * @returns false if there is no audit that this server can continue.
 */
export async function continueAudit(deps: PurchaseDeps, { signal, patience = PATIENCE, pageSize = PAGE }: Working): Promise<boolean> {
  const { database, failures } = deps
  const leaseId = randomUUID()
  const leased = await leaseAudit(database, leaseId, LEASE_SECONDS)
  if (!leased) return false
  const lost = new AbortController()
  const renew = () =>
    renewLease(database, 'audits', leaseId, LEASE_SECONDS).then(
      (kept) => kept || lost.abort(),
      (error: unknown) => failures.failed(error, { auditId: leased.id }, 'the lease of an audit could not be renewed; it may run out'),
    )
  const renewing = setInterval(() => void renew(), RENEW_MILLIS)
  const working = { signal: AbortSignal.any([signal, lost.signal]), patience, pageSize }
  setMaxListeners(0, working.signal)
  try {
    let audit: AuditRow | undefined = leased
    while (audit?.finishedAt === null && !working.signal.aborted) {
      const step: AuditStep | undefined = await nextStep(deps, audit, working)
      audit = step && (await saveAudit(database, leaseId, step))
    }
  } catch (error) {
    failures.failed(error, { auditId: leased.id }, 'an audit failed on its way; trying again')
    await countFailure(database, 'audits', leaseId)
  } finally {
    clearInterval(renewing)
  }
  if (signal.aborted) await renewLease(database, 'audits', leaseId, 0)
  return true
}

/** @returns undefined if the signal aborted */
async function nextStep(deps: PurchaseDeps, audit: AuditRow, working: Required<Working>): Promise<AuditStep | undefined> {
  const { id, part, failures } = audit
  if (failures >= MAX_FAILURES) return givenUp(audit, 'the server failed to check it, see its log')
  if (part === 'ledger') return afterLedger(audit, await readLedger(deps.database))
  const purchases = await readAuditPage(deps.database, { id, part }, working.pageSize)
  try {
    const findings = await verifyPayments(deps, purchases, working)
    const ids = purchases.map((purchase) => purchase.id)
    return findings && afterPage(audit, ids, findings, purchases.length < working.pageSize)
  } catch (error) {
    if (error instanceof ChainSilent) return givenUp(audit, error.message)
    throw error
  }
}

const FOLLOW_MILLIS = 100

interface Options extends Partial<Working> {
  full: boolean
  /** Whose key or wallet starts it, unless one is running. */
  startedBy?: string
}

/**
 * Starts an audit, or joins the running one, and runs it to its end.
 *
 * @returns its findings; if the signal aborts first, its findings so far.
 */
export async function runAudit(
  deps: PurchaseDeps,
  { full, startedBy, signal = new AbortController().signal, ...working }: Options,
): Promise<AuditReport> {
  const { id } = await requestAudit(deps.database, { full, ...(startedBy !== undefined && { startedBy }) })
  for (;;) {
    await continueAudit(deps, { ...working, signal })
    const audit = await findAudit(deps.database, id)
    if (!audit) throw new Error(`audit ${id} is gone`)
    if (audit.finishedAt !== null || signal.aborted) return auditReport(audit)
    await delay(FOLLOW_MILLIS, signal)
  }
}

const POLL_MILLIS = 500

/**
 * Runs audits on this server: a newly requested one, or one whose server was stopped or killed.
 */
export function auditJob(deps: PurchaseDeps): Job {
  return {
    name: 'audits',
    everyMillis: POLL_MILLIS,
    failure: 'audits cannot be read; trying again',
    run: (signal) => continueAudit(deps, { signal }),
  }
}

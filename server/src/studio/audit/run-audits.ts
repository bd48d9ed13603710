import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { type Audit, type AuditReport } from '@juicebar/contract/schemas'
import { isId } from '@juicebar/contract/ids'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { ambiguousReferences, verifyPayment } from '../../purchases/payment/landed-payment.ts'
import { termsOf } from '../../purchases/payment/payment-terms.ts'
import { findReferences } from '../../purchases/payment/reference-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { delay, type Job } from '../../runtime/repeat.ts'
import {
  findAudit,
  findRunningAudit,
  insertAudit,
  leaseAudit,
  listAudits,
  makeRunningAuditFull,
  readAuditPage,
  saveAudit,
  type SettledPurchase,
  countFailure,
  renewLease,
} from './audit-store.ts'
import {
  afterLedger,
  afterPage,
  auditReply,
  auditReport,
  type AuditRow,
  type AuditStep,
  auditSummary,
  givenUp,
  type PaymentFinding,
} from './audit.ts'
import { readLedger } from './ledger-check-store.ts'

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
export async function readAudits(database: Database, { cursor, limit = LISTINGS_PAGE }: Query<'audits'>): Promise<Reply<'audits'>> {
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
  try {
    if (part === 'ledger') return afterLedger(audit, await readLedger(deps.database, working.signal))
    const purchases = await readAuditPage(deps.database, { id, part }, working.pageSize)
    const findings = await verifyPayments(deps, purchases, working)
    const ids = purchases.map((purchase) => purchase.id)
    return findings && afterPage(audit, ids, findings, purchases.length < working.pageSize)
  } catch (error) {
    if (error instanceof ChainSilent) return givenUp(audit, error.message)
    if (working.signal.aborted) return undefined
    throw error
  }
}

const FOLLOW_MILLIS = 100

type Options = AuditRequest & Partial<Working>

/**
 * Starts an audit, or joins the running one, and runs it to its end.
 *
 * @returns its findings; if the signal aborts first, its findings so far.
 */
export async function runAudit(
  deps: PurchaseDeps,
  { full, startedBy, record, signal = new AbortController().signal, ...working }: Options,
): Promise<AuditReport> {
  const { id } = await requestAudit(deps.database, { full, ...(startedBy !== undefined && { startedBy }), ...(record && { record }) })
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

/** How long an audit waits for a chain that does not answer, and for one whose budget is used by others. */
export interface Patience {
  downMillis: number
  busyMillis: number
}

const PATIENCE: Patience = { downMillis: 2 * 60_000, busyMillis: 60 * 60_000 }

const CONCURRENCY = 16
const RETRY_MILLIS = 1_000
/** How often a payment is requested that the chain does not return while it returns others. */
const TRIES = 20

/** The chain answered nothing for longer than an audit waits. */
class ChainSilent extends Error {}

interface Reading {
  patience: Patience
  signal: AbortSignal
}

/**
 * Reads the payments of settled purchases from the chain and verifies them by the rules that settled them. It uses only the chain budget
 * that purchases leave, and repeats requests until they are answered.
 *
 * @returns a finding for each purchase; undefined if the signal aborted.
 * @throws ChainSilent
 */
async function verifyPayments(
  deps: PurchaseDeps,
  purchases: readonly SettledPurchase[],
  { patience, signal }: Reading,
): Promise<PaymentFinding[] | undefined> {
  const findings: PaymentFinding[] = []
  const last = { answerAt: performance.now() }
  const left = purchases.entries()
  const verifyRest = async () => {
    for (const [index, purchase] of left) {
      const finding = await verifyUntilAnswered(deps, purchase, last, { patience, signal })
      if (finding) findings[index] = finding
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, verifyRest))
  return signal.aborted ? undefined : findings
}

/** `last` is shared by all payments of a page: whether the chain answers anything at all. */
async function verifyUntilAnswered(
  deps: PurchaseDeps,
  purchase: SettledPurchase,
  last: { answerAt: number },
  { patience, signal }: Reading,
): Promise<PaymentFinding | undefined> {
  const startedAt = performance.now()
  for (let failures = 0; !signal.aborted;) {
    try {
      const finding = await verifySettled(deps, purchase)
      last.answerAt = performance.now()
      return finding
    } catch (error) {
      if (!(error instanceof Failure && (error.code === 'CHAIN_DOWN' || error.code === 'CHAIN_BUSY'))) throw error
      const busy = error.code === 'CHAIN_BUSY'
      if (!busy) failures += 1
      if (failures >= TRIES && last.answerAt > startedAt) return unchecked(purchase, error.message)
      if (performance.now() - last.answerAt >= (busy ? patience.busyMillis : patience.downMillis)) throw new ChainSilent(error.message)
      await delay(RETRY_MILLIS, signal)
    }
  }
  return undefined
}

/** @throws CHAIN_DOWN or CHAIN_BUSY */
async function verifySettled({ chain, database }: PurchaseDeps, purchase: SettledPurchase): Promise<PaymentFinding> {
  const { id, signature } = purchase
  if (purchase.genesisHash !== (await chain.genesisHash())) return { kind: 'earlier chain' }
  const transaction = signature === null ? undefined : await chain.transaction(signature, { spare: true })
  if (!transaction || (transaction.failed && purchase.vanished))
    return unchecked(purchase, `its payment ${signature ?? ''} was not found on chain`)
  if (transaction.doubt) return unchecked(purchase, `only one endpoint shows what its payment ${transaction.signature} did`)
  const knownReferences = await findReferences(database, ambiguousReferences(transaction))
  const verdict = verifyPayment(transaction, termsOf(purchase), knownReferences)
  // Of two complete purchases in one transaction, earlier servers delivered the one that they found first.
  if (verdict.kind === 'pays' || (verdict.kind === 'wrong' && verdict.complete)) return { kind: 'verified' }
  return { kind: 'violation', detail: `purchase ${id}: its payment does not pay for it (${verdict.reason})` }
}

function unchecked({ id }: SettledPurchase, reason: string): PaymentFinding {
  return { kind: 'unchecked', detail: `purchase ${id}: ${reason}` }
}

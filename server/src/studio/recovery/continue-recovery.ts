import { randomUUID } from 'node:crypto'
import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'
import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { emitPause, lockRestrictions, findChangedPause } from '../../restrictions/restriction-store.ts'
import { countFailure, renewLease } from '../audit/audit-store.ts'
import { insertLogEntry } from '../log/studio-log-store.ts'
import { outcomeOf, type RecoveryRow, givenUp } from './recovery.ts'
import {
  findLatestRecovery,
  findRecovery,
  findRunningRecovery,
  insertRecovery,
  deleteSignatures,
  insertSignatures,
  leaseRecovery,
  saveRecovery,
} from './recovery-store.ts'
import { recordRewind } from './check-identity.ts'
import { endRewind, findOpenRewind, agreeOnExpiry } from './rewind-store.ts'
import { logCase } from '../../purchases/cases/open-case.ts'
import { insertLostCase, type LostCase } from '../../purchases/cases/unmatched-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { delay, type Job } from '../../runtime/repeat.ts'
import { ChainReset, type Portions, PORTIONS, readRecoveryStep } from './read-recovery-step.ts'
import { type RecoveryStep } from './recovery-step.ts'
import { isId } from '@juicebar/contract/ids'

interface RecoveryRequest {
  /** The time of the backup; undefined for when the market was paused. */
  since: Date | undefined
  actor: string
}

type RequestDeps = { database: Database; log: Pick<BaseLogger, 'error'> }

/** Pauses the market, unless it is already paused for a recovery, and starts a recovery or returns the running one. */
export async function requestRecovery({ database, log }: RequestDeps, { since, actor }: RecoveryRequest): Promise<RecoveryRow> {
  for (;;) {
    await recordRewind({ database, log }, { cause: 'asked' })
    await inTransaction(database, async (tx) => {
      const rewind = await findOpenRewind(tx)
      const id = rewind && (await insertRecovery(tx, rewind.id, since))
      if (id !== undefined) await insertLogEntry(tx, { actor, call: 'startRecovery', subject: id, reason: since?.toISOString() ?? null })
    })
    // None is running if it finished just now: then the next turn starts one.
    const running = await findRunningRecovery(database)
    if (running) return running
  }
}

/** @throws RECOVERY_NOT_FOUND */
export async function requireRecovery(database: Database | Tx, id: string): Promise<RecoveryRow> {
  const recovery = isId(id) ? await findRecovery(database, id) : undefined
  if (!recovery) throw new Failure('RECOVERY_NOT_FOUND')
  return recovery
}

/**
 * The studio opens the market although the latest recovery has opened cases or could not check everything; its log says who did so and why.
 * @throws RECOVERY_NOT_FOUND or RECOVERY_NOT_ACCEPTABLE
 */
export async function acceptRecovery(
  database: Database,
  { id, reason, actor }: { id: string; reason: string; actor: string },
): Promise<RecoveryRow> {
  await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    const recovery = await requireRecovery(tx, id)
    if ((await findLatestRecovery(tx))?.id !== recovery.id) throw notAcceptable('there is a later one.')
    const outcome = outcomeOf(recovery)
    if (outcome === null) throw notAcceptable('it is still running.')
    if (outcome === 'clean') throw notAcceptable('it was clean, so the market is open.')
    if (!(await endRewind(tx, recovery.rewindId, actor))) return
    await insertLogEntry(tx, { actor, call: 'acceptRecovery', subject: id, reason })
    await emitPause(tx, await findChangedPause(tx))
  })
  return requireRecovery(database, id)
}

function notAcceptable(detail: string): Failure {
  return new Failure('RECOVERY_NOT_ACCEPTABLE', { detail })
}

/** If a server is killed, another continues its recovery after this long. */
const LEASE_SECONDS = 10
const RENEW_MILLIS = 2_500
const RETRY_MILLIS = 500
/** A recovery ends if this many attempts in a row have failed. */
const MAX_FAILURES = 10

/** How long a recovery waits for a chain that does not answer, and for one whose budget is used by others. */
export interface Patience {
  downMillis: number
  busyMillis: number
}

const PATIENCE: Patience = { downMillis: 2 * 60_000, busyMillis: 60 * 60_000 }

export interface Working {
  signal: AbortSignal
  patience?: Patience
  portions?: Portions
}

/**
 * Continues the running recovery until it is done, the signal aborts or another server has taken it over. Any server can continue where it
 * stops.
 * @returns false if there is no recovery that this server can continue
 */
export async function continueRecovery(
  deps: PurchaseDeps,
  { signal, patience = PATIENCE, portions = PORTIONS }: Working,
): Promise<boolean> {
  const { database, failures } = deps
  const leaseId = randomUUID()
  const leased = await leaseRecovery(database, leaseId, LEASE_SECONDS)
  if (!leased) return false
  const lost = new AbortController()
  const renew = () =>
    renewLease(database, 'recoveries', leaseId, LEASE_SECONDS).then(
      (kept) => kept || lost.abort(),
      (error: unknown) => failures.failed(error, { recoveryId: leased.id }, 'the lease of a recovery could not be renewed; it may run out'),
    )
  const renewing = setInterval(() => void renew(), RENEW_MILLIS)
  const working = AbortSignal.any([signal, lost.signal])
  try {
    let recovery: RecoveryRow | undefined = leased
    let answeredAt = performance.now()
    while (recovery?.finishedAt === null && !working.aborted) {
      const step = await nextStep(deps, recovery, { signal: working, portions, patience, silentMillis: performance.now() - answeredAt })
      if (step) {
        answeredAt = performance.now()
        const hasWaited: boolean = step.state.part === 'waiting'
        recovery = await writeStep(deps, recovery, leaseId, step)
        if (hasWaited) await delay(RETRY_MILLIS, working)
      } else await delay(RETRY_MILLIS, working)
    }
  } catch (error) {
    failures.failed(error, { recoveryId: leased.id }, 'a recovery failed on its way; trying again')
    await countFailure(database, 'recoveries', leaseId)
  } finally {
    clearInterval(renewing)
  }
  // This or another server may continue at once.
  await renewLease(database, 'recoveries', leaseId, 0)
  return true
}

/** @returns undefined if the chain did not answer: try again */
async function nextStep(
  deps: PurchaseDeps,
  recovery: RecoveryRow,
  { signal, portions, patience, silentMillis }: Required<Working> & { silentMillis: number },
): Promise<RecoveryStep | undefined> {
  const giveUp = (reason: string): RecoveryStep => ({ state: givenUp(recovery, reason), listed: [], read: [], lost: [], done: true })
  if (recovery.failures >= MAX_FAILURES) return giveUp('the server failed to check it, see its log')
  try {
    return await readRecoveryStep(deps, recovery, portions, signal)
  } catch (error) {
    if (error instanceof ChainReset) return giveUp(error.message)
    if (!(error instanceof Failure && (error.code === 'CHAIN_DOWN' || error.code === 'CHAIN_BUSY'))) throw error
    const patienceMillis = error.code === 'CHAIN_BUSY' ? patience.busyMillis : patience.downMillis
    return silentMillis >= patienceMillis ? giveUp(error.message) : undefined
  }
}

/** Writes a step in one transaction. @returns undefined if another server has taken the recovery over: then nothing is written */
async function writeStep(
  deps: PurchaseDeps,
  row: RecoveryRow,
  leaseId: string,
  { state, listed, read, lost, done }: RecoveryStep,
): Promise<RecoveryRow | undefined> {
  const { saved, opened } = await inTransaction(deps.database, async (tx) => {
    // Taken before all row locks, as everywhere.
    if (done) await lockRestrictions(tx)
    const cases: LostCase[] = []
    for (const { payment, ...landing } of lost) {
      cases.push(...(await insertLostCase(tx, { ...landing, genesisHash: chainOf(row) }, payment)))
    }
    const next = { ...state, casesOpened: row.casesOpened + cases.length }
    if (row.expiryHeight === null && next.expiryHeight !== null) {
      next.expiryHeight = await agreeOnExpiry(tx, row.rewindId, next.expiryHeight)
    }
    if (listed.length > 0) next.transactions = await insertSignatures(tx, row.id, listed)
    if (done || read.length > 0) await deleteSignatures(tx, row.id, done ? undefined : read)
    const written = await saveRecovery(tx, leaseId, { state: next, done })
    if (!written) throw new LeaseLost()
    return { saved: done ? await openIfClean(tx, written) : written, opened: cases }
  }).catch((error: unknown) => {
    if (error instanceof LeaseLost) return { saved: undefined, opened: [] }
    throw error
  })
  for (const each of opened) logCase(deps, 'opened', each, { id: null, buyer: each.buyer })
  return saved
}

/** A recovery knows its chain before it reads anything. */
function chainOf({ genesisHash }: RecoveryRow): string {
  if (genesisHash === null) throw new Error('a recovery has found payments before it knew the chain')
  return genesisHash
}

class LeaseLost extends Error {}

/** A recovery that found nothing, and checked everything, ends the pause. */
async function openIfClean(tx: Tx, done: RecoveryRow): Promise<RecoveryRow> {
  if (done.casesOpened > 0 || done.uncheckedCount > 0) return done
  await endRewind(tx, done.rewindId, 'a clean recovery')
  await emitPause(tx, await findChangedPause(tx))
  return { ...done, isPaused: false }
}

const POLL_MILLIS = 500

/**
 * Runs recoveries on this server: a newly requested one, or one whose server was stopped or killed.
 */
export function recoveryJob(deps: PurchaseDeps): Job {
  return {
    name: 'recoveries',
    everyMillis: POLL_MILLIS,
    failure: 'recoveries cannot be read; trying again',
    run: (signal) => continueRecovery(deps, { signal }),
  }
}

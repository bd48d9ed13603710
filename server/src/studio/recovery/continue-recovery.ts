import { Failure } from '@juicebar/contract/errors'
import { randomUUID } from 'node:crypto'

import { inTransaction, type Tx } from '../../database/transact.ts'
import { insertLostCase } from '../../purchases/cases/lost-case-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { delay } from '../../repeat.ts'
import { emitPause, lockRestrictions } from '../../restrictions/restriction-change-store.ts'
import { findChangedPause } from '../../restrictions/restriction-store.ts'
import { ChainReset, type Portions, PORTIONS, readRecoveryStep } from './read-recovery-step.ts'
import { givenUp, type RecoveryRow } from './recovery.ts'
import { type RecoveryStep } from './recovery-step.ts'
import { countFailure, renewLease } from '../job-lease-store.ts'
import { deleteSignatures, insertSignatures, leaseRecovery, saveRecovery } from './recovery-store.ts'
import { agreeOnExpiry, endRewind } from './rewind/rewind-store.ts'

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
  { database, log }: PurchaseDeps,
  row: RecoveryRow,
  leaseId: string,
  { state, listed, read, lost, done }: RecoveryStep,
): Promise<RecoveryRow | undefined> {
  const { saved, opened } = await inTransaction(database, async (tx) => {
    // Taken before all row locks, as everywhere.
    if (done) await lockRestrictions(tx)
    const cases: string[] = []
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
  for (const id of opened) log.info({ case: id, kind: 'lost' }, 'a case was opened')
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

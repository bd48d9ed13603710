import { Failure } from '@juicebar/contract/errors'
import { type Database } from '../../database/connect.ts'
import { type FindStudioKey } from '../../http/credentials.ts'
import { type FailureLog } from '../../runtime/outage.ts'
import { hashSecret, requireUsable } from './studio-key.ts'
import { findKeyByHash, touchKey } from './studio-key-store.ts'

export interface KeyCheck {
  /**
   * Finds a key by its secret. It asks the database each time, so that a revoked key is refused at once, everywhere.
   *
   * Throws STUDIO_KEY_INVALID if no key has this secret; KEY_EXPIRED; KEY_REVOKED
   */
  find: FindStudioKey
  /** Resolves when no use is still being recorded. */
  idle(): Promise<void>
}

/** Finds keys, and records when they were last used: at most once a minute, while the call proceeds. */
export function createKeyCheck(database: Database, failures: Pick<FailureLog, 'failed'>): KeyCheck {
  const recording = new Map<string, Promise<void>>()
  const record = (id: string) => {
    if (recording.has(id)) return
    const recorded = touchKey(database, id)
      .catch((error: unknown) => failures.failed(error, {}, 'the last use of a studio key could not be recorded'))
      .finally(() => recording.delete(id))
    recording.set(id, recorded)
  }
  return {
    find: async (secret) => {
      const hash = hashSecret(secret)
      if (!hash) throw new Failure('STUDIO_KEY_INVALID')
      const found = await findKeyByHash(database, hash)
      const key = requireUsable(found, hash)
      if (found && !found.isUseRecorded) record(found.id)
      return key
    },
    idle: async () => void (await Promise.all(recording.values())),
  }
}

import { CHALLENGE_SECONDS, MAX_OPEN_CHALLENGES } from '@juicebar/contract/limits'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { now } from '../../database/time.ts'
import { type ChallengeRow, type Signed } from './challenge.ts'

/** How long a repeated call is told why it is refused. */
const KEPT = '10 minutes'

export interface IssuedChallenge {
  expiresAt: Date
  millisLeft: number
}

/** Adds a challenge; undefined if the wallet already has the maximum number of open ones. */
export async function insertChallenge(
  database: Database,
  { id, message, walletAddress, call, bodyHash }: Signed & { id: string; message: string },
): Promise<IssuedChallenge | undefined> {
  const { rows } = await sql<IssuedChallenge>`
    insert into studio_challenges (id, wallet_address, call, body_hash, message, expires_at)
    select ${id}::uuid, ${walletAddress}, ${call}, ${bodyHash}, ${message}, now() + make_interval(secs => ${CHALLENGE_SECONDS})
    where (
      select count(*) from studio_challenges where wallet_address = ${walletAddress} and expires_at > now() and used_at is null
    ) < ${MAX_OPEN_CHALLENGES}
    returning expires_at, ceil(extract(epoch from expires_at - now()) * 1000)::integer as millis_left`.execute(database)
  return rows[0]
}

export async function findChallenge(database: Database, id: string): Promise<ChallengeRow | undefined> {
  return database
    .selectFrom('studioChallenges')
    .select(['walletAddress', 'call', 'bodyHash', 'message'])
    .select([sql<boolean>`used_at is not null`.as('isUsed'), sql<boolean>`expires_at <= now()`.as('isExpired')])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Uses up a challenge. Of any number of concurrent callers, exactly one succeeds. */
export async function spendChallenge(database: Database, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('studioChallenges')
    .set({ usedAt: now })
    .where('id', '=', id)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteOldChallenges(database: Database): Promise<void> {
  await database
    .deleteFrom('studioChallenges')
    .where('expiresAt', '<', sql<Date>`now() - ${KEPT}::interval`)
    .execute()
}

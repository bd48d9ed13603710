import { type Database } from '../../database/connect.ts'

/** The key pair of the market, each in URL-safe base64. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

export async function findPushKeys(database: Database): Promise<PushKeys | undefined> {
  return database.selectFrom('pushKeys').select(['publicKey', 'privateKey']).executeTakeFirst()
}

/** Stores these keys, unless others are already stored. */
export async function insertPushKeys(database: Database, keys: PushKeys): Promise<void> {
  await database
    .insertInto('pushKeys')
    .values(keys)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

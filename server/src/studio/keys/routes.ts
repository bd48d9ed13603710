import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Database } from '../../database/connect.ts'
import { type Api } from '../../http/route.ts'
import { createKey, endKey, readKeys } from './change-keys.ts'
import { readKeyWish } from './studio-key.ts'

/** Making, listing and revoking studio keys. */
export function keyRoutes(api: Api, database: Database): void {
  api.studio('createStudioKey', 'admin', async ({ body, key }) => ({
    key: await createKey(database, key, readKeyWish(body), body.reason),
  }))
  api.studio('studioKeys', 'admin', async ({ query }) => readKeys(database, { cursor: query.cursor, limit: query.limit ?? LISTINGS_PAGE }))
  api.studio('revokeStudioKey', 'admin', async ({ params, query: { reason }, key }) => ({
    key: await endKey(database, { id: params.id, reason, by: key }),
  }))
}

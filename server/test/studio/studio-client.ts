import { beforeAll, expect, vi } from 'vitest'

import { type DatabaseConnection } from '../../src/database/connect.ts'
import { useDatabase } from '../support/fresh-database.ts'
import { openApp, startApp, studioApiKey } from '../support/start-app.ts'

type App = Awaited<ReturnType<typeof openApp>>
type Json = ReturnType<typeof JSON.parse>
type Options = NonNullable<Parameters<typeof openApp>[1]>

/** A whole server on a database, and a client of its studio API. */
export interface Studio extends StudioClient {
  origin: string
  url: string
  /** The server's own. */
  pool: DatabaseConnection['pool']
  database: DatabaseConnection['database']
}

/** Calls the studio API of a server, as its owner unless another key is given. */
function studioClient(origin: () => string) {
  const call = async (method: string, path: string, { key = studioApiKey, body }: { key?: string; body?: unknown } = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${origin()}/api/studio${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as Json }
  }
  return {
    call,
    /** Reads something, as its owner. */
    get: (path: string) => call('GET', path),
    /** Makes a key, and returns it with its secret. */
    createKey: async (wish: object, key?: string): Promise<Json> => {
      const { status, body } = await call('POST', '/keys', { body: { name: 'a key', ...wish }, ...(key !== undefined && { key }) })
      if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(body)}`)
      return body.key
    },
    /** The identifiers on all pages of a list, which the reply has as `field`. */
    readPages: async (path: string, field: string, limit: number): Promise<string[]> => {
      const ids: string[] = []
      for (let cursor = ''; ;) {
        const { body } = await call('GET', `${path}?limit=${limit}${cursor}`)
        ids.push(...body[field].map(({ id }: { id: string }) => id))
        if (body.nextCursor === null) return ids
        cursor = `&cursor=${body.nextCursor}`
      }
    },
  }
}

export type StudioClient = ReturnType<typeof studioClient>

/** What `call` answers if it refuses. */
export const refused = (status: number, code: string) => ({ status, body: { code } })

function ownDatabase(): () => string {
  const own = useDatabase()
  return () => own.url
}

/** The server of a test file, from its first test to its last, on a database of its own unless it is given another's URL. */
export function useStudio({ databaseUrl = ownDatabase(), ...options }: Options & { databaseUrl?: () => string } = {}): Studio {
  // Its functions can be taken from it before the server is there.
  const studio = studioClient(() => studio.origin) as Studio
  beforeAll(async () => {
    const url = databaseUrl()
    const app = await openApp(url, options)
    Object.assign(studio, await untilReady(app, url))
    return app.stop
  })
  return studio
}

/** One more server on a database. It is stopped when the test is over. */
export async function startStudio(url: string, options?: Options): Promise<Studio> {
  const app = await startApp(url, options)
  return { ...studioClient(() => app.origin), ...(await untilReady(app, url)) }
}

async function untilReady({ origin, get, connection }: App, url: string): Promise<Omit<Studio, keyof StudioClient>> {
  await vi.waitFor(async () => expect(await get('/health/ready')).toMatchObject({ status: 200 }), { timeout: 30_000 })
  return { origin, url, pool: connection.pool, database: connection.database }
}

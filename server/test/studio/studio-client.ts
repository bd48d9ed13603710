import { expect } from 'vitest'

import { startApp, studioApiKey } from '../support/start-app.ts'

/** Calls the studio API of a server, as its owner unless another key is given. */
function studioClient(origin: string) {
  const call = async (method: string, path: string, { key = studioApiKey, body }: { key?: string; body?: unknown } = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${origin}/api/studio${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    return { status: reply.status, body: (await reply.json()) as ReturnType<typeof JSON.parse> }
  }
  /** Makes a key, and returns it with its secret. */
  const createKey = async (wish: object, key?: string): Promise<ReturnType<typeof JSON.parse>> => {
    const { status, body } = await call('POST', '/keys', { body: { name: 'a key', ...wish }, ...(key !== undefined && { key }) })
    if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(body)}`)
    return body.key
  }
  return { call, createKey }
}

export type StudioClient = ReturnType<typeof studioClient>

/** A whole server on a database, and a client of it. It is stopped when the test is over. */
export async function startStudio(...options: Parameters<typeof startApp>): Promise<StudioClient & { origin: string }> {
  const { origin, get } = await startApp(...options)
  await expect.poll(() => get('/health/ready')).toMatchObject({ status: 200 })
  return { origin, ...studioClient(origin) }
}

import { type ApiClient } from '../players/api-client.ts'

/** Reads all pages of a list of the market. */
export async function readAll<T>(api: ApiClient, list: string, field: string): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const page: Record<string, unknown> = await read(api, `/api/marketplace/${list}?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`)
    all.push(...(page[field] as T[]))
    cursor = page['nextCursor'] as string | null
  } while (cursor !== null)
  return all
}

/** Reads one field of a reply. */
export async function readField<T>(api: ApiClient, path: string, field: string): Promise<T> {
  return (await read<Record<string, unknown>>(api, path))[field] as T
}

/** Reads a reply. Fails on any other answer. */
export async function read<T extends object>(api: ApiClient, path: string): Promise<T> {
  const answer = await api.callWithRetries({ method: 'GET', path })
  if (answer?.status !== 200) throw new Error(`${path} failed: ${JSON.stringify(answer)}`)
  return answer.body as T
}

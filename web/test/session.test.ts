import { QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { balancesQuery, configQuery } from '../src/api/queries.ts'
import { queryClient } from '../src/api/query-client.ts'
import { call, clearJwt, writeJwt } from '../src/api/client.ts'

function openBrowser() {
  const kept = new Map<string, string>()
  const fetched = vi.fn<typeof fetch>(async () => Response.json({ balances: {} }))
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  onTestFinished(() => {
    queryClient.clear()
    vi.unstubAllGlobals()
  })
  return fetched
}

/** A component that shows the data of a query. */
function show(part: { subscribe(listener: () => void): () => void }): void {
  onTestFinished(part.subscribe(() => undefined))
}

describe('a reply that breaks off silently', () => {
  const breaksOff = (init: ResponseInit) =>
    vi.fn<typeof fetch>(async (_, { signal } = {}) => {
      const start = (stream: ReadableStreamDefaultController) => signal?.addEventListener('abort', () => stream.error(signal.reason))
      return new Response(new ReadableStream({ start }), init)
    })

  it.each([200, 503])('is given up after 15 seconds: %s', async (status) => {
    openBrowser()
    vi.stubGlobal('fetch', breaksOff({ status }))
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const [asked] = await Promise.allSettled([call('config', {}), vi.advanceTimersByTimeAsync(15_000)])
    expect(asked).toMatchObject({ status: 'rejected', reason: { code: 'TIMEOUT' } })
  })
})

describe('what only a wallet itself may see', () => {
  it('is loaded with its session', () => {
    const fetched = openBrowser()
    writeJwt('jwt')
    show(new QueryObserver(queryClient, balancesQuery('wallet')))
    expect(fetched).toHaveBeenCalledOnce()
  })

  it('is not loaded by a component that mounts while its owner logs out', () => {
    const fetched = openBrowser()
    writeJwt('jwt')
    clearJwt()
    show(new QueryObserver(queryClient, balancesQuery('wallet')))
    expect(fetched).not.toHaveBeenCalled()
    show(new QueryObserver(queryClient, configQuery))
    expect(fetched).toHaveBeenCalledOnce()
  })
})

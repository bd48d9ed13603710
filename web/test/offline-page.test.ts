import { afterEach, describe, expect, it, vi } from 'vitest'

import { keepOfflinePage } from '../src/worker/offline-page.ts'

const ORIGIN = 'https://market.example'
const FILES = ['/offline.html', '/offline.css', '/theme.js', '/favicon.svg']

afterEach(() => vi.unstubAllGlobals())

/** A service worker of a browser that has these caches. Its listeners are called as a browser calls them. */
function startWorker(...names: string[]) {
  const listeners = new Map<string, (event: object) => void>()
  const stored = new Map(names.map((name) => [name, new Set<string>()]))
  const claim = vi.fn<() => Promise<void>>(async () => undefined)
  const worker = {
    addEventListener: (type: string, listener: (event: object) => void) => void listeners.set(type, listener),
    clients: { claim },
    caches: {
      open: async (name: string) => ({ addAll: async (paths: string[]) => void stored.set(name, new Set(paths)) }),
      keys: async () => [...stored.keys()],
      delete: async (name: string) => stored.delete(name),
      match: async (path: string) => ([...stored.values()].some((paths) => paths.has(path)) ? new Response(`kept ${path}`) : undefined),
    },
  }
  keepOfflinePage(worker as unknown as Parameters<typeof keepOfflinePage>[0])
  const dispatch = async (type: string) => {
    const work: Promise<unknown>[] = []
    listeners.get(type)?.({ waitUntil: (one: Promise<unknown>) => work.push(one) })
    await Promise.all(work)
  }
  return {
    stored,
    claim,
    install: () => dispatch('install'),
    activate: () => dispatch('activate'),
    /** What the worker answers; undefined if it leaves the request to the browser. */
    ask: async (path: string, mode: RequestMode = 'no-cors') => {
      let reply: Promise<Response> | undefined
      listeners.get('fetch')?.({
        request: { url: ORIGIN + path, mode },
        respondWith: (one: Promise<Response>) => {
          reply = one
        },
      })
      return reply === undefined ? undefined : (await reply).text()
    },
  }
}

const withoutNetwork = () => vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')))
const withNetwork = () => vi.stubGlobal('fetch', async ({ url }: Request) => new Response(`fresh ${new URL(url).pathname}`))

describe('the page that is shown without a network', () => {
  it('is kept with what it consists of, and nothing else', async () => {
    const { install, activate, stored, claim } = startWorker('offline-0')
    await install()
    await activate()
    expect([...stored].map(([name, paths]) => [name, [...paths]])).toEqual([['offline-1', FILES]])
    expect(claim).toHaveBeenCalledOnce()
  })

  it('answers page loads only while the network fails', async () => {
    const { install, ask } = startWorker()
    await install()
    withNetwork()
    expect(await ask('/listing/1', 'navigate')).toBe('fresh /listing/1')
    withoutNetwork()
    expect(await ask('/listing/1', 'navigate')).toBe('kept /offline.html')
    expect(await ask('/offline.css')).toBe('kept /offline.css')
  })

  it.each(['/api/config', '/api/marketplace/listings', '/assets/index-1a2b.js', '/'])('%s is left to the browser', async (path) => {
    const { install, ask } = startWorker()
    await install()
    withoutNetwork()
    expect(await ask(path)).toBeUndefined()
  })

  it('leaves a failure what it is while nothing is kept', async () => {
    const { ask } = startWorker()
    withoutNetwork()
    await expect(ask('/', 'navigate')).rejects.toThrow('Failed to fetch')
  })
})

/// <reference lib="webworker" />

/** A new name deletes what was kept under the old one. */
const CACHE = 'offline-1'
const PAGE = '/offline.html'
const kept = [PAGE, '/offline.css', '/theme.js', '/favicon.svg']

/**
 * Shows a page of its own when the market cannot be reached, and keeps nothing else: neither the web app nor what the server says, so
 * nobody ever sees an old one.
 */
export function keepOfflinePage(worker: ServiceWorkerGlobalScope): void {
  const { caches } = worker
  worker.addEventListener('install', (event) => {
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(kept)))
  })
  worker.addEventListener('activate', (event) => {
    event.waitUntil(deleteOthers(caches).then(() => worker.clients.claim()))
  })
  worker.addEventListener('fetch', (event) => {
    const { request } = event
    const wanted = request.mode === 'navigate' ? PAGE : new URL(request.url).pathname
    if (kept.includes(wanted)) event.respondWith(fetchOrKept(caches, request, wanted))
  })
}

async function deleteOthers(caches: CacheStorage): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))
}

async function fetchOrKept(caches: CacheStorage, request: Request, path: string): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const reply = await caches.match(path)
    if (!reply) throw error
    return reply
  }
}

/// <reference lib="webworker" />

/** Changing the name deletes everything kept under the old one. */
const CACHE = 'offline-1'
const PAGE = '/offline.html'
const kept = [PAGE, '/offline.css', '/theme.js', '/favicon.svg']

/**
 * Shows an offline page when the market cannot be reached, and caches nothing else: neither the web app nor replies, so that nobody ever
 * sees old ones.
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

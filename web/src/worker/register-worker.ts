/** Registers the service worker, or finds that it is; see `worker.ts`. Rejects in browsers that keep nothing, as in a private window. */
export function registerWorker(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register('/worker.js')
}

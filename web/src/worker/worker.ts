/// <reference lib="webworker" />
import { keepOfflinePage } from './offline-page.ts'
import { handlePushes } from './push-worker.ts'

declare const self: ServiceWorkerGlobalScope

handlePushes(self)
keepOfflinePage(self)
// It takes effect without reloading a page.
self.addEventListener('install', () => void self.skipWaiting())

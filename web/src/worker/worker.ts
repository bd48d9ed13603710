/// <reference lib="webworker" />
import { keepOfflinePage } from './offline-page.ts'
import { handlePushes } from './push-worker.ts'

declare const self: ServiceWorkerGlobalScope

handlePushes(self)
keepOfflinePage(self)
// What it does needs no page to be loaded again.
self.addEventListener('install', () => void self.skipWaiting())

/// <reference lib="webworker" />
import { handlePushes } from './push-worker.ts'

declare const self: ServiceWorkerGlobalScope

handlePushes(self)
// What it does needs no page to be loaded again.
self.addEventListener('install', () => void self.skipWaiting())

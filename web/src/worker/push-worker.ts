/// <reference lib="webworker" />

/** What the server sends; see `PushMessage` in server/src/alerts/push.ts. */
interface PushMessage {
  title: string
  body: string
  tag: string
  url: string
}

/**
 * Shows pushes as notifications, unless the market is in front, where the page itself shows them. Clicking one brings the market to the
 * front, or opens it if it is closed.
 */
export function handlePushes(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => {
    const message = readMessage(event.data)
    if (message) event.waitUntil(show(worker, message))
  })
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(open(worker, pathOf(event.notification.data, worker)))
  })
}

async function show({ clients, registration }: ServiceWorkerGlobalScope, { title, body, tag, url }: PushMessage): Promise<void> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (windows.some((window) => isMarket(window) && window.visibilityState === 'visible')) return
  await registration.showNotification(title, { body, tag, data: url })
}

async function open({ clients }: ServiceWorkerGlobalScope, path: string): Promise<void> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  // A page in which a purchase may be under way is not navigated.
  const [first] = windows.filter(isMarket)
  if (first) await first.focus()
  else await clients.openWindow(path)
}

/** Whether a window shows the market's own pages, which announce by themselves what is pushed. A checkout and the studio's desk do not. */
function isMarket({ url }: WindowClient): boolean {
  return !/^\/(?:studio|checkout)(?:\/|$)/.test(new URL(url).pathname)
}

/** @returns undefined if it is not one of the market's messages */
function readMessage(data: PushMessageData | null): PushMessage | undefined {
  try {
    const message: unknown = data?.json()
    return isMessage(message) ? message : undefined
  } catch {
    return undefined
  }
}

function isMessage(message: unknown): message is PushMessage {
  if (typeof message !== 'object' || message === null) return false
  const fields = message as Record<string, unknown>
  return ['title', 'body', 'tag', 'url'].every((name) => typeof fields[name] === 'string')
}

/** A path on this origin, whatever the notification carries. */
function pathOf(data: unknown, { location }: ServiceWorkerGlobalScope): string {
  const url = typeof data === 'string' && URL.canParse(data, location.origin) ? new URL(data, location.origin) : undefined
  return url?.origin === location.origin ? url.pathname : '/'
}

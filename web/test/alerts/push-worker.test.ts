import { describe, expect, it, vi } from 'vitest'

import { handlePushes } from '../../src/worker/push-worker.ts'

const ORIGIN = 'https://market.example'
const message = { title: 'Apple Juice for 0.004 SOL', body: 'It is there.', tag: 'one', url: '/drink/APPLE_JUICE' }

interface Window {
  url: string
  visibilityState: 'visible' | 'hidden'
  focus: () => Promise<void>
}

const windowAt = (path: string, visibilityState: Window['visibilityState'] = 'hidden'): Window => ({
  url: `${ORIGIN}${path}`,
  visibilityState,
  focus: vi.fn<() => Promise<void>>(async () => undefined),
})

/** A service worker of a browser in which these windows are open. Its listeners are called as a browser calls them. */
function startWorker(...windows: Window[]) {
  const listeners = new Map<string, (event: object) => void>()
  const showNotification = vi.fn<() => Promise<void>>(async () => undefined)
  const openWindow = vi.fn<() => Promise<null>>(async () => null)
  const worker = {
    location: new URL(`${ORIGIN}/worker.js`),
    addEventListener: (type: string, listener: (event: object) => void) => void listeners.set(type, listener),
    clients: { matchAll: async () => windows, openWindow },
    registration: { showNotification },
  }
  handlePushes(worker as unknown as Parameters<typeof handlePushes>[0])
  const dispatch = async (type: string, event: object) => {
    const work: Promise<unknown>[] = []
    listeners.get(type)?.({ ...event, waitUntil: (one: Promise<unknown>) => work.push(one) })
    await Promise.all(work)
  }
  return {
    showNotification,
    openWindow,
    push: (text: string) => dispatch('push', { data: { json: () => JSON.parse(text) as unknown } }),
    click: async (data: unknown) => {
      const close = vi.fn<() => void>()
      await dispatch('notificationclick', { notification: { data, close } })
      expect(close).toHaveBeenCalledOnce()
    },
  }
}

describe('a push', () => {
  it('is shown while the market is closed, padded as it comes', async () => {
    const { push, showNotification } = startWorker()
    await push(JSON.stringify(message).padEnd(512))
    expect(showNotification).toHaveBeenCalledExactlyOnceWith(message.title, expect.objectContaining({ body: message.body, tag: 'one' }))
  })

  it('is shown while the market is behind something else', async () => {
    const { push, showNotification } = startWorker(windowAt('/'), windowAt('/'))
    await push(JSON.stringify(message))
    expect(showNotification).toHaveBeenCalledOnce()
  })

  it('is not shown while the market is in front, in any of its tabs: the page says it', async () => {
    const { push, showNotification } = startWorker(windowAt('/'), windowAt('/', 'visible'))
    await push(JSON.stringify(message))
    expect(showNotification).not.toHaveBeenCalled()
  })

  it.each(['/studio', '/checkout/01'])('is shown while only %s is in front, which does not say it', async (path) => {
    const { push, click, showNotification, openWindow } = startWorker(windowAt(path, 'visible'))
    await push(JSON.stringify(message))
    expect(showNotification).toHaveBeenCalledOnce()
    await click('/drink/APPLE_JUICE')
    expect(openWindow).toHaveBeenCalledOnce()
  })

  it.each(['', 'null', '7', '[]', '{"title":"Free SOL"}', JSON.stringify({ ...message, body: 5 })])(
    'that is %j shows nothing',
    async (text) => {
      const { push, showNotification } = startWorker()
      await push(text)
      expect(showNotification).not.toHaveBeenCalled()
    },
  )
})

describe('a click on a notification', () => {
  it('opens what it is about', async () => {
    const { click, openWindow } = startWorker()
    await click('/drink/APPLE_JUICE')
    expect(openWindow).toHaveBeenCalledExactlyOnceWith('/drink/APPLE_JUICE')
  })

  it('brings an open page to the front and leaves it where it is, but not the studio’s desk', async () => {
    const [desk, market] = [windowAt('/studio'), windowAt('/listing/1')]
    const { click, openWindow } = startWorker(desk, market)
    await click('/drink/APPLE_JUICE')
    expect([desk.focus, market.focus, openWindow].map((one) => vi.mocked(one).mock.calls.length)).toEqual([0, 1, 0])
  })

  it.each(['https://other.example/', '//other.example/', 'javascript:alert(1)', undefined, 7])('never leads to %s', async (data) => {
    const { click, openWindow } = startWorker()
    await click(data)
    expect(openWindow).toHaveBeenCalledExactlyOnceWith('/')
  })
})

import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'

import { type Page } from '@playwright/test'

import { expect, test } from './support/test.ts'

const EVENTS = 1_000
/** How many events come at once: what a market with 50 a second puts into one reading of the outbox. */
const BATCH = 8

/** An event stream that says only what the test makes it say, in place of the server's own. */
async function replaceEvents(page: Page) {
  const streams: ServerResponse[] = []
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' })
    reply.write('id: 1-1\nevent: ready\ndata: {"type":"ready"}\n\n')
    streams.push(reply)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await page.route('**/api/marketplace/events', (route) => route.continue({ url: `http://127.0.0.1:${port}/` }))
  return {
    async send(events: readonly { type: string }[]) {
      const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
      await new Promise((resolve) => streams.at(-1)?.write(frames, resolve))
    },
    stop: () => server.close().closeAllConnections(),
  }
}

/** The paths of the calls that the web app makes from now on. */
function watchCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/(?:api|rpc|health)/.test(pathname)) calls.push(pathname)
  })
  return calls
}

test('a thousand events of other sellers cost a seller who looks at My Listings no request', async ({ signedIn }) => {
  const { page, address } = await signedIn({ sol: 0 })
  const stream = await replaceEvents(page)
  // What the page asks for once when it starts says nothing about events, and may come after the stream is live.
  const started = Promise.all([page.waitForRequest('**/rpc'), page.waitForRequest('**/api/marketplace/my-purchases*')])
  await page.reload()
  await page.getByRole('tab', { name: 'My Listings' }).click()
  await expect(page.getByText('You have no active listings')).toBeVisible()
  await started
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()
  const listing = await page.evaluate(async () => {
    const reply = await fetch('/api/marketplace/listings?limit=1')
    const { listings } = (await reply.json()) as { listings: object[] }
    return listings[0]
  })
  const calls = watchCalls(page)

  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    await stream.send(
      Array.from({ length: BATCH }, (_, index) => ({
        type: index % 2 ? 'listing.held' : 'listing.created',
        listing: { ...listing, _id: `event-${sent + index}` },
      })),
    )
  }
  // The stream is read in order: once this event has had its effect, so have all others.
  const own = page.waitForRequest('**/api/marketplace/my-listings*')
  await stream.send([{ type: 'listing.created', listing: { ...listing, _id: 'own', seller: address } } as { type: string }])
  await own
  expect(calls).toEqual(['/api/marketplace/my-listings'])
  await page.close()
  stream.stop()
})

test('the market’s first page comes with the HTML, and what happened since is not missed', async ({ page }) => {
  const calls = watchCalls(page)
  let lastEventId: string | undefined
  page.on('request', (request) => {
    if (request.url().endsWith('/events')) lastEventId = request.headers()['last-event-id']
  })
  await page.goto('/')
  await expect(page.getByRole('article').first()).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()
  expect(calls.filter((path) => path.endsWith('/listings'))).toEqual([])
  const cameWith = JSON.parse((await page.locator('#first-view').textContent()) ?? '') as { lastEventId: string }
  expect(lastEventId).toBe(cameWith.lastEventId)
  expect(lastEventId).toMatch(/^\d+-\d+-\d+$/)
})

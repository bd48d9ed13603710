import { describe, expect, it } from 'vitest'
import { createFirstViews } from '../../src/http/first-views.ts'
import { type CachedReply } from '../../src/http/cached-replies.ts'
import { builtPages, serve, testHead } from './test-server.ts'

/** A renderer that shows the listings' JSON, and fails where it is told to. */
const renderer = `
export const createRenderer = ({ title }) => ({
  needsOf: async ({ path }) =>
    path === '/' || path === '/broken' ? [{ path: '/api/config' }, { path: '/listings' }]
      : path.startsWith('/listing/') ? [{ path: '/listings' }]
      : path === '/missing' ? [{ path: '/nothing' }]
      : path === '/slow' ? [{ path: '/listings' }, { path: '/never', isOptional: true }, { path: '/nothing', isOptional: true }]
      : [],
  render: async ({ path }, { replies }) => {
    if (path === '/broken') throw new Error('a component failed')
    return '<p>' + title + ' has ' + replies['/listings'].count + '</p>'
  },
})
`
const html = '<head>\n  <link rel="preload" href="/health"></head>\n    <div id="root"><!--first-view--></div>'

async function open() {
  const folder = await builtPages({ '.first-view/render.js': renderer })
  const fastify = await serve(() => {})
  fastify.get('/api/config', async (_request, reply) => reply.header('last-event-id', '10-2-3').send({ name: '</script>' }))
  fastify.get('/never', () => new Promise(() => {}))
  const memory = new Map<string, CachedReply>()
  const keep = (count: number) => {
    const json = JSON.stringify({ count })
    memory.set('/listings', { json, length: json.length, gzipped: Buffer.from(''), etag: `"${count}"`, lastEventId: '9-2-4' })
  }
  keep(1)
  let prepared = 0
  const views = await createFirstViews(fastify, {
    folder,
    settings: testHead.settings,
    findCached: (url) => memory.get(url),
    prepare: async (page) => {
      prepared += 1
      return page
    },
  })
  const request = { ip: '127.0.0.1', log: fastify.log } as Parameters<NonNullable<typeof views>['putInto']>[2]
  const see = (path: string) => views?.putInto(html, { path, search: '' }, request)
  return { keep, see, count: () => prepared, memory }
}

describe('the first view of a page', () => {
  it('is in its place, with the replies that it was made of, and nothing is asked for twice', async () => {
    const { see } = await open()
    const page = await see('/')
    expect(page).toContain('<div id="root" data-first-view><p>Moonbase has 1</p></div>')
    expect(page).toContain('"/listings":{"count":1}')
    // The configuration came with a later event than the listings, of which no later change must be missed.
    expect(page).toContain('"lastEventId":"9-2-4"')
    expect(page).toContain('\\u003c/script>')
    expect(page).not.toContain('preload')
  })

  it('does not wait for what it can do without', async () => {
    const { see } = await open()
    const page = await see('/slow')
    expect(page).toContain('Moonbase has 1')
    expect(page).toContain('"replies":{"/listings":{"count":1}}')
  })

  it('is made once, until what it shows changes', async () => {
    const { see, keep, count } = await open()
    await see('/')
    await see('/')
    expect(count()).toBe(1)
    keep(2)
    await expect.poll(() => see('/'), { timeout: 3_000 }).toContain('Moonbase has 2')
    expect(count()).toBe(2)
  })

  it('of listings wait for each other, and most of many go without', async () => {
    const { see } = await open()
    await see('/')
    const many = await Promise.all(Array.from({ length: 20 }, async (_, number) => see(`/listing/${number}`)))
    const views = many.filter((page) => page !== undefined)
    expect([views.length > 0, views.length < 20]).toEqual([true, true])
    expect(await see('/')).toContain('Moonbase has 1')
    await expect.poll(() => see('/listing/19')).toContain('Moonbase has 1')
  })

  it.each(['/broken', '/missing', '/other'])('is left out at %s, and the page works without it', async (path) => {
    const { see } = await open()
    expect(await see(path)).toBeUndefined()
    expect(await see('/')).toContain('Moonbase has 1')
  })
})

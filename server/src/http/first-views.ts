import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import {
  FIRST_VIEW_ATTRIBUTE,
  FIRST_VIEW_ID,
  type FirstViewData,
  type FirstViewModule,
  type FirstViewRenderer,
  type NeededReply,
  type PageAddress,
} from '@juicebar/contract/first-view'
import { LISTING_PATH, type MarketSettings } from '@juicebar/contract/market-settings'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type CachedReply } from './cached-replies.ts'
import { escapeJson } from './page-head.ts'

/** Where the web app's page wants its first view. */
const PLACE = '<div id="root"><!--first-view--></div>'
/** What the web app asks for first, and finds in the page if that has a first view. */
const preloads = /\n *<link rel="preload" href="\/(?:api|health)[^>]*>/g
const RENDERER = '.first-view/render.js'
/** More than players open at a time. */
const MAX_VIEWS = 100
/** How old a first view may be whatever it shows, as the replies that are kept in memory. */
const MAX_AGE_MILLIS = 1_000
/** In a market that changes all the time, a view is not rendered more often than this. The page learns of the rest from its events. */
const MIN_AGE_MILLIS = 250

/**
 * Of each second, how much goes into the views of searches and listings. There are as many as anybody cares to ask for, and rendering one keeps
 * everything else on this server waiting.
 */
const SHARE_OF_MANY = 0.25
/** How many views may be under way. Of searches and listings, others are sent without: they work as well. */
const MOST_UNDER_WAY = 8

/** How long a page waits for what its first view can do without. */
const OPTIONAL_MILLIS = 150

/** Makes the first views of pages, and keeps each as long as what it shows has not changed. */
export interface FirstViews<Prepared> {
  /** A page with its first view in it; undefined if it has none, or what it shows cannot be read now. Never rejects. */
  putInto(html: string, page: PageAddress, request: FastifyRequest): Promise<Prepared | undefined>
}

interface FirstViewParts<Prepared> {
  /** The folder of the built web app. */
  folder: string
  settings: MarketSettings
  /** Returns the reply to a path and query that is in memory. */
  findCached: (url: string) => CachedReply | undefined
  /** Makes a finished page ready to be sent, again and again. */
  prepare: (html: string) => Promise<Prepared>
}

interface View<Prepared> {
  at: number
  /** The replies from memory that it shows, by path and query. */
  shows: ReadonlyMap<string, CachedReply>
  html: string
  block: string
  /** The page that it was last put into, and what became of it. */
  page?: { around: string; prepared: Promise<Prepared> }
}

/** Loads what the web app's build left for the server; undefined if it was built without. */
export async function createFirstViews<Prepared>(
  fastify: FastifyInstance,
  { folder, settings, findCached, prepare }: FirstViewParts<Prepared>,
): Promise<FirstViews<Prepared> | undefined> {
  const renderer = await loadRenderer(join(folder, RENDERER), settings)
  if (!renderer) return undefined
  const views = new LRUCache<string, View<Prepared>>({ max: MAX_VIEWS })
  const underWay = new Map<string, Promise<View<Prepared> | undefined>>()
  const inTurn = takingTurns()

  const isCurrent = ({ at, shows }: View<Prepared>) => {
    const age = performance.now() - at
    if (age < MIN_AGE_MILLIS) return true
    return age < MAX_AGE_MILLIS && [...shows].every(([url, reply]) => findCached(url) === reply)
  }
  const read = async ({ path, isOptional = false }: NeededReply, ip: string) => {
    const cached = findCached(path)
    const asked = cached ?? ask(fastify, path, ip)
    const reply = await (isOptional ? Promise.race([asked, sleep(OPTIONAL_MILLIS, undefined, { ref: false })]) : asked)
    return { path, isOptional, cached, reply }
  }
  const make = async (page: PageAddress, needs: readonly NeededReply[], { ip }: FastifyRequest): Promise<View<Prepared> | undefined> => {
    const at = performance.now()
    const data: FirstViewData = { replies: {} }
    const shows = new Map<string, CachedReply>()
    for (const { path, isOptional, cached, reply } of await Promise.all(needs.map((need) => read(need, ip)))) {
      if (!reply && isOptional) continue
      if (!reply) return undefined
      data.replies[path] = JSON.parse(reply.json)
      data.lastEventId = older(data.lastEventId, reply.lastEventId)
      if (cached) shows.set(path, cached)
    }
    const html = await (isOneOfMany(page) ? inTurn(() => renderer.render(page, data)) : renderer.render(page, data))
    return { at, shows, html, block: `<script type="application/json" id="${FIRST_VIEW_ID}">${escapeJson(data)}</script>` }
  }
  const find = async (page: PageAddress, request: FastifyRequest): Promise<View<Prepared> | undefined> => {
    const needs = await renderer.needsOf(page)
    if (needs.length === 0) return undefined
    const key = [page.path, ...needs.map(({ path }) => path)].join(' ')
    const known = views.get(key)
    if (known && isCurrent(known)) return known
    if (!underWay.has(key) && isOneOfMany(page) && underWay.size >= MOST_UNDER_WAY) return undefined
    const making = underWay.get(key) ?? make(page, needs, request).finally(() => underWay.delete(key))
    underWay.set(key, making)
    const made = await making
    if (made) views.set(key, made)
    return made
  }
  return {
    async putInto(html, page, request) {
      const view = await find(page, request).catch((error: unknown) => {
        // The page works without it, too.
        request.log.error({ err: error }, 'a first view cannot be made; the page is sent without it')
      })
      if (!view) return undefined
      if (view.page?.around !== html) view.page = { around: html, prepared: prepare(fill(html, view)) }
      return await view.page.prepared
    },
  }
}

function isOneOfMany({ path, search }: PageAddress): boolean {
  return search !== '' || path.startsWith(LISTING_PATH)
}

/** Does one piece of work at a time, with rests in between. */
function takingTurns() {
  let free: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    let begun = 0
    const turn = free.then(() => {
      begun = performance.now()
      return work()
    })
    const rest = () => sleep((performance.now() - begun) * (1 / SHARE_OF_MANY - 1), undefined, { ref: false })
    free = turn.then(rest, rest)
    return turn
  }
}

function fill(html: string, { html: content, block }: Pick<View<unknown>, 'html' | 'block'>): string {
  const filled = `<div id="root" ${FIRST_VIEW_ATTRIBUTE}>${content}</div>\n    ${block}`
  return html.replaceAll(preloads, '').split(PLACE).join(filled)
}

/** The older of two ids of events, whose numbers grow from left to right in weight. What came after it, one of the replies may not show. */
function older(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const [numbers, others] = [one, other].map((id) => id.split('-').map(BigInt))
  const at = numbers?.findIndex((number, index) => number !== others?.[index]) ?? -1
  return at < 0 || (numbers?.[at] ?? 0n) < (others?.[at] ?? 0n) ? one : other
}

let instances = 0

async function loadRenderer(file: string, settings: MarketSettings): Promise<FirstViewRenderer | undefined> {
  if (!existsSync(file)) return undefined
  instances += 1
  const { createRenderer } = (await import(/* @vite-ignore */ `${pathToFileURL(file).href}?market=${instances}`)) as FirstViewModule
  return createRenderer(settings)
}

/** Makes a call in the name of the page's visitor, whose limits count it. */
async function ask(fastify: FastifyInstance, url: string, remoteAddress: string) {
  const { statusCode, body, headers } = await fastify.inject({ url, remoteAddress, headers: { accept: 'application/json' } })
  const lastEventId = headers['last-event-id']
  // A copy from before an outage has an age: the web app then asks by itself, and says so.
  if (statusCode !== 200 || headers['age'] !== undefined) return undefined
  return { json: body, lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined }
}

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PageAddress } from '@juicebar/contract/first-view'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fastifyStatic from '@fastify/static'
import { type Picture } from '../pictures/picture.ts'
import { type CachedReply } from './cached-replies.ts'
import { createFirstViews, type FirstViews } from './first-views.ts'
import { isDatabaseOutage } from '../runtime/database-failures.ts'
import { type LimitChecks } from './rate-limits.ts'
import {
  MANIFEST_PATH,
  type PageHead,
  type PageText,
  renderHead,
  renderPage,
  webManifest,
  serveStyleSheet,
  type StyleSheet,
} from './page-head.ts'
import { replyToUnmatchedPath } from './failure-reply.ts'
import { type PreparedReply, prepareReply } from './prepared-reply.ts'

/** Opened directly, a picture runs and loads nothing; it may use its own styles. */
const pictureContentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"

/** Serves pictures at their paths, cacheable forever. `nosniff` is on every reply of the server. */
function registerPictures(fastify: FastifyInstance, pictures: readonly Picture[]): void {
  for (const [path, { type, content }] of new Map(pictures.map((picture) => [picture.path, picture]))) {
    fastify.get(path, { schema: { hide: true } }, async (_request, reply) => {
      // Replaces the page's own policy, which is on the raw reply.
      reply.raw.setHeader('content-security-policy', pictureContentSecurityPolicy)
      // Wallets that are web pages show a logo beside a payment.
      reply.raw.setHeader('cross-origin-resource-policy', 'cross-origin')
      return reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content)
    })
  }
}

/** Prepares a page that is the same for everyone. */
function preparePage(html: string, status?: 200 | 503): Promise<PreparedReply> {
  return prepareReply('text/html; charset=utf-8', html, status)
}

/** Prepares a page about nothing, which says so without a script, too. */
function prepareMissing(html: string): Promise<PreparedReply> {
  return prepareReply('text/html; charset=utf-8', html.replace('</noscript>', `${missingNotice}</noscript>`), 404)
}

const missing = { title: 'Not found', description: 'There is nothing at this address.' }
const missingNotice = `<main class="grid justify-items-center gap-4 px-6 py-16 text-center">
        <h1 class="text-lead">${missing.description}</h1>
        <a href="/" class="button button-primary">Go to the market</a>
      </main>
    `

/** The build names these files by a hash of their content, so they never change. */
const hashedFiles = /\/assets\//
/** Wallets that are web pages show them beside a payment. */
const icons = /(?:\/favicon\.svg|\/icons\/[\w-]+\.png)$/
const serverPaths = /^\/(api|rpc|docs|health|files|p)(\/|$)/
/** The content that the development server puts into the head of its own page. */
const HEAD_PATH = '/files/head.html'
/** The studio's desk is a separate page, which players never load. */
const DESK_PATH = '/studio'
const MARKET_PAGE = 'index.html'
const DESK_PAGE = 'studio.html'

/** Addresses of the web app whose pages have their own metadata, such as those of listings. */
export interface Place {
  /** Ends with `:id`. Everything that follows is the id, including slashes, so there are no other pages below it. */
  path: string
  limit: LimitChecks
  /** The page's own metadata; undefined if nothing has this id. Throws if the database is down. */
  describe: (id: string) => Promise<Omit<PageText, 'path'> | undefined>
  /**
   * It is shown without the market around it, to players of other sites. Those may open it in a pop-up and hear from it, so it must stay
   * connected to the page that opened it.
   */
  standsAlone?: true
}

/** The look of a market, apart from the web app. */
export interface MarketLook {
  head: PageHead
  pictures: readonly Picture[]
  styleSheet: StyleSheet | undefined
}

/**
 * Serves the built web app from `folder`, compressed if there is a .br or .gz beside a file, with what makes it this market's. The web
 * app's own paths get its page; every other path that a person may have opened gets it with 404, and anything else a failure reply. If
 * the web app is not built, `/` says so.
 *
 * @param findCached returns the reply to a path and query that is in memory, which first views show
 */
export async function registerWebApp(
  fastify: FastifyInstance,
  folder: string,
  { head, pictures, styleSheet }: MarketLook,
  places: readonly Place[] = [],
  findCached: (url: string) => CachedReply | undefined = () => undefined,
): Promise<void> {
  registerPictures(fastify, pictures)
  if (styleSheet) serveStyleSheet(fastify, styleSheet)
  fastify.get(HEAD_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(renderHead(head)),
  )
  const manifest = JSON.stringify(webManifest(head))
  fastify.get(MANIFEST_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/manifest+json; charset=utf-8').header('cache-control', 'no-cache').send(manifest),
  )
  if (!existsSync(join(folder, MARKET_PAGE))) return registerMissingWebApp(fastify)

  const render = await readPage(join(folder, MARKET_PAGE))
  const renderDesk = await readPage(join(folder, DESK_PAGE))
  const firstViews = await createFirstViews(fastify, { folder, settings: head.settings, findCached, prepare: preparePage })
  const page = render(head)
  const market = await preparePage(page)
  const sendMarket = async (request: FastifyRequest, reply: FastifyReply) => {
    const filled = await firstViews?.putInto(page, addressOf(request), request)
    return (filled ?? market)(request, reply)
  }
  const sendMissing = await prepareMissing(render({ ...head, page: { ...missing, path: '/' } }))
  const sendDesk = await preparePage(renderDesk(head))
  for (const place of places) registerPlace(fastify, place, { head, render, firstViews })
  const pages = { '/': sendMarket, [`/${MARKET_PAGE}`]: market, [DESK_PATH]: sendDesk, [`/${DESK_PAGE}`]: sendDesk }
  for (const [path, send] of Object.entries(pages))
    fastify.get(path, { schema: { hide: true } }, async (request, reply) => send(request, reply))
  await fastify.register(fastifyStatic, {
    root: folder,
    index: false,
    preCompressed: true,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => {
      reply.header('cache-control', hashedFiles.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (icons.test(path)) reply.header('cross-origin-resource-policy', 'cross-origin')
    },
  })
  fastify.setNotFoundHandler((request, reply) =>
    isWebAppPath(request) ? sendMissing(request, reply) : replyToUnmatchedPath(request, reply),
  )
}

/** Has the browser fetch the market's first listings along with the page. */
const listingsPreload = /\n *<link rel="preload" href="\/api\/marketplace\/listings[^>]*>/

type RenderPage = (head: PageHead) => string

/**
 * Answers a place with the web app's page and its own head: 404 if nothing has that id, and 503 while that is unknown. The web app itself
 * finds out the same, and says so.
 */
function registerPlace(
  fastify: FastifyInstance,
  { path, limit, describe, standsAlone }: Place,
  page: { head: PageHead; render: RenderPage; firstViews: FirstViews<PreparedReply> | undefined },
): void {
  const render: RenderPage = standsAlone ? (head) => page.render(head).replace(listingsPreload, '') : page.render
  fastify.get<{ Params: { '*': string } }>(path.replace(':id', '*'), { schema: { hide: true } }, async (request, reply) => {
    await limit.address(request)
    // Replaces the header of every other reply, which is on the raw reply.
    if (standsAlone) reply.raw.setHeader('cross-origin-opener-policy', 'unsafe-none')
    const id = request.params['*']
    const found = await describe(id).catch((error: unknown) => {
      if (!isDatabaseOutage(error)) throw error
      return 'away' as const
    })
    if (found === 'away') return (await preparePage(render(page.head), 503))(request, reply)
    const own = { ...(found ?? missing), path: path.replace(':id', encodeURIComponent(id)) }
    const html = render({ ...page.head, page: own })
    if (!found) return (await prepareMissing(html))(request, reply)
    const filled = await page.firstViews?.putInto(html, addressOf(request), request)
    return (filled ?? (await preparePage(html)))(request, reply)
  })
}

/** @throws Error with a sentence if the page was not built for this server */
async function readPage(file: string): Promise<RenderPage> {
  const template = await readFile(file, 'utf8')
  return (head) => {
    const page = renderPage(template, head)
    if (page === undefined) throw new Error(`${file} has no place for the market’s part of its head. Run "npm run build".`)
    return page
  }
}

function addressOf({ url }: FastifyRequest): PageAddress {
  const [path = '/'] = url.split('?')
  return { path, search: url.slice(path.length) }
}

function isWebAppPath(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] ?? ''
  const wantsHtml = request.headers.accept?.includes('text/html') ?? false
  return (request.method === 'GET' || request.method === 'HEAD') && wantsHtml && !path.includes('.') && !serverPaths.test(path)
}

function registerMissingWebApp(fastify: FastifyInstance): void {
  fastify.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The web app is not built yet: run "npm run build". The API is up; /docs describes it.\n'),
  )
  fastify.setNotFoundHandler((request, reply) => replyToUnmatchedPath(request, reply))
}

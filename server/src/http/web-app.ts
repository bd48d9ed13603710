import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import fastifyStatic from '@fastify/static'
import { type FastifyInstance, type FastifyRequest } from 'fastify'

import { type Picture } from '../pictures/picture.ts'
import { type PageHead, renderHead, renderPage } from './page/page-head.ts'
import { type PageSender, preparePage } from './page/serve-page.ts'
import { serveStyleSheet, type StyleSheet } from './page/style-sheet.ts'
import { registerPictures } from './pictures.ts'
import { replyToUnmatchedPath } from './server/unmatched-path.ts'

/** The build names these files by a hash of their content, so they never change. */
const hashedFiles = /\/assets\//
const serverPaths = /^\/(api|rpc|docs|health|files)(\/|$)/
/** What the development server, which has a page of its own, puts into its head. */
const HEAD_PATH = '/files/head.html'
/** The studio's desk is a page of its own, of which players load nothing. */
const DESK_PATH = '/studio'
const MARKET_PAGE = 'index.html'
const DESK_PAGE = 'studio.html'

/** A page of the web app with an address of its own, which link previews and search results tell from the others. */
export interface NamedPage {
  path: string
  title: string
  /** One or two sentences. */
  description: string
}

/** The pages of one kind, which all begin with `prefix`: below it there are no others. */
export interface NamedPages {
  prefix: string
  pages: readonly NamedPage[]
  /** What a page that does not exist is called. */
  missing: Omit<NamedPage, 'path'>
}

/** What a market looks like, beside the web app. */
export interface MarketLook {
  head: PageHead
  drinks: NamedPages
  pictures: readonly Picture[]
  styleSheet: StyleSheet | undefined
}

/**
 * Serves the built web app from `folder`, compressed if there is a .br or .gz beside a file, with what makes it this market's. The web
 * app's own paths get its page; everything else that is not a file gets a failure reply. If the web app is not built, `/` says so.
 */
export async function registerWebApp(
  fastify: FastifyInstance,
  folder: string,
  { head, drinks, pictures, styleSheet }: MarketLook,
): Promise<void> {
  registerPictures(fastify, pictures)
  if (styleSheet) serveStyleSheet(fastify, styleSheet)
  fastify.get(HEAD_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(renderHead(head)),
  )
  if (!existsSync(join(folder, MARKET_PAGE))) return registerMissingWebApp(fastify)

  const sendPage = await readPage(join(folder, MARKET_PAGE), head)
  const sendDesk = await readPage(join(folder, DESK_PAGE), head)
  const pages = { '/': sendPage, [`/${MARKET_PAGE}`]: sendPage, [DESK_PATH]: sendDesk, [`/${DESK_PAGE}`]: sendDesk }
  for (const [path, send] of Object.entries(pages))
    fastify.get(path, { schema: { hide: true } }, async (request, reply) => send(request, reply))
  await serveNamedPages(fastify, join(folder, MARKET_PAGE), head, drinks)
  await fastify.register(fastifyStatic, {
    root: folder,
    index: false,
    preCompressed: true,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => {
      reply.header('cache-control', hashedFiles.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  fastify.setNotFoundHandler((request, reply) => (isWebAppPath(request) ? sendPage(request, reply) : replyToUnmatchedPath(request, reply)))
}

/** Serves each page with a head of its own, and the web app with status 404 at all other addresses that begin like theirs. */
async function serveNamedPages(
  fastify: FastifyInstance,
  file: string,
  head: PageHead,
  { prefix, pages, missing }: NamedPages,
): Promise<void> {
  const senders = new Map<string, PageSender>()
  for (const { path, title, description } of pages) senders.set(path, await readPage(file, { ...head, title, description }))
  const sendMissing = await readPage(file, { ...head, ...missing }, 404)
  fastify.get(`${prefix}*`, { schema: { hide: true } }, async (request, reply) => {
    const send = senders.get(request.url.split('?')[0] ?? '') ?? sendMissing
    return send(request, reply)
  })
}

/** @throws Error with a sentence if the page was not built for this server */
async function readPage(file: string, head: PageHead, status: 200 | 404 = 200): Promise<PageSender> {
  const page = renderPage(await readFile(file, 'utf8'), head)
  if (page === undefined) throw new Error(`${file} has no place for the market’s part of its head. Run "npm run build".`)
  return preparePage(page, status)
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

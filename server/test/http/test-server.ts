import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { bearerToken, type CallerOptions, type Session } from '../../src/http/credentials.ts'
import { type PageHead } from '../../src/http/page-head.ts'
import { type MarketLook, type Place, registerWebApp } from '../../src/http/web-app.ts'
import { createRateLimits } from '../../src/http/rate-limits.ts'
import { type Api, createApi } from '../../src/http/route.ts'
import { createServer, type ServerOptions } from '../../src/http/server.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { tempFolder } from '../embedded/temp-folder.ts'

export const STUDIO_KEY = 'studio-key-for-tests'
export const PLAYER = 'So11111111111111111111111111111111111111112' as WalletAddress

export const silent = pino({ level: 'silent' })

export const testHead: PageHead = {
  settings: { title: 'Moonbase', logo: '/favicon.svg', welcome: null, footer: null, catalogue: [], ownItems: false },
  description: 'Trade moon rocks.',
  themeColors: { light: '#ffffff', dark: '#000000' },
  publicOrigin: 'https://market.example',
  preview: { path: '/preview.png', size: { width: 1200, height: 630 } },
  styleSheet: undefined,
}

interface Parts extends Partial<Pick<CallerOptions, 'authenticate' | 'findStudioKey' | 'staff'>> {
  pageFolder?: string
  look?: Partial<MarketLook>
  /** Of a place called /thing, and of one called /pop-up that other sites may open. */
  describe?: Place['describe']
}

/** A real server with the calls that a test declares; it ends with the test. The token "good" is PLAYER's session. */
export async function serve(
  declare: (api: Api) => void,
  options: Partial<ServerOptions> = {},
  parts: Parts = {},
): Promise<FastifyInstance> {
  const { log = silent } = options
  const fastify = await createServer({
    log,
    failures: createFailureLog(log),
    publicOrigin: 'https://market.example',
    productName: 'Juicebar',
    version: '1.2.3',
    items: defaultCatalogue.items,
    trustProxy: false,
    ...options,
  })
  const limits = await createRateLimits(fastify)
  const { pageFolder = '/nowhere', look, describe, ...callers } = parts
  declare(createApi(fastify, { limits, studioApiKey: STUDIO_KEY, authenticate: authenticateTheGood, ...callers }))
  const thing = describe && { path: '/thing/:id', limit: limits.read, describe }
  const places: Place[] = thing ? [thing, { ...thing, path: '/pop-up/:id', standsAlone: true }] : []
  await registerWebApp(fastify, pageFolder, { head: testHead, pictures: [], styleSheet: undefined, ...look }, places)
  onTestFinished(() => fastify.close())
  return fastify
}

async function authenticateTheGood(request: FastifyRequest): Promise<Session> {
  const token = bearerToken(request)
  if (token === undefined) throw new Failure('UNAUTHORIZED')
  if (token !== 'good') throw new Failure('SESSION_ENDED')
  return { id: 'session-1', player: PLAYER }
}

export const signedIn = { authorization: 'Bearer good' }

/** Has the server listen on a free port. @returns its origin */
export function listen(fastify: FastifyInstance): Promise<string> {
  return fastify.listen({ port: 0, host: '127.0.0.1' })
}

/** The folder of a web app that was built, whose pages are empty, with more files; it is deleted when the test ends. */
export async function builtPages(files: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = await tempFolder()
  const pages = ['index', 'studio'].map((name) => [`${name}.html`, `<!doctype html><head><!--market-head--></head><p>${name}</p>`] as const)
  for (const [path, content] of [...pages, ...Object.entries(files)]) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

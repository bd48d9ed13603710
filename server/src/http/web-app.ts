import { existsSync } from 'node:fs'
import { join } from 'node:path'

import fastifyStatic from '@fastify/static'
import { type FastifyInstance, type FastifyRequest } from 'fastify'

import { replyToUnknownAddress } from './server/unmatched-path.ts'

/** The build names these files by their content, so a name never changes its meaning. */
const hashedFiles = /\/assets\//
const notThePage = /^\/(api|rpc|docs|health)(\/|$)/

/**
 * Serves the built page from `folder`, compressed beforehand where a .br or .gz stands beside a file. Addresses that only
 * the page itself knows get index.html; what is neither a file nor the page gets a failure reply.
 */
export async function registerPage(fastify: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) return explainMissingPage(fastify)

  await fastify.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => {
      reply.header('cache-control', hashedFiles.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  fastify.setNotFoundHandler((request, reply) =>
    isPageAddress(request) ? reply.sendFile('index.html') : replyToUnknownAddress(request, reply),
  )
}

function isPageAddress(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] ?? ''
  const wantsHtml = request.headers.accept?.includes('text/html') ?? false
  return (request.method === 'GET' || request.method === 'HEAD') && wantsHtml && !path.includes('.') && !notThePage.test(path)
}

function explainMissingPage(fastify: FastifyInstance): void {
  fastify.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The page is not built yet: run "npm run build". The API is up; /docs describes it.\n'),
  )
  fastify.setNotFoundHandler((request, reply) => replyToUnknownAddress(request, reply))
}

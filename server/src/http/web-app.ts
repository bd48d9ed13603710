import { existsSync } from 'node:fs'
import { join } from 'node:path'

import fastifyStatic from '@fastify/static'
import { type FastifyInstance, type FastifyRequest } from 'fastify'

import { replyToUnmatchedPath } from './server/unmatched-path.ts'

/** The build names these files by a hash of their content, so they never change. */
const hashedFiles = /\/assets\//
const serverPaths = /^\/(api|rpc|docs|health)(\/|$)/

/**
 * Serves the built web app from `folder`, compressed if there is a .br or .gz beside a file. The web app's own paths get index.html;
 * everything else that is not a file gets a failure reply. If the web app is not built, `/` says so.
 */
export async function registerWebApp(fastify: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) return registerMissingWebApp(fastify)

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
    isWebAppPath(request) ? reply.sendFile('index.html') : replyToUnmatchedPath(request, reply),
  )
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

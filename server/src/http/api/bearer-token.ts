import { type FastifyRequest } from 'fastify'

/** What stands behind `Authorization: Bearer`; undefined where there is none. */
export function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

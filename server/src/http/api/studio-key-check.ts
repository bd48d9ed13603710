import { createHash, timingSafeEqual } from 'node:crypto'

import { Failure } from '@juicebar/contract/errors'
import { type FastifyRequest } from 'fastify'

import { bearerToken } from './bearer-token.ts'

/** Whoever has `STUDIO_API_KEY`. */
export const ROOT_KEY = 'root key'

/**
 * Returns a check of the studio key, in constant time.
 *
 * The check throws `Failure` STUDIO_KEY_INVALID unless the request carries the key.
 */
export function createStudioKeyCheck(studioApiKey: string): (request: FastifyRequest) => void {
  const expected = digest(studioApiKey)
  return (request) => {
    if (!timingSafeEqual(digest(bearerToken(request) ?? ''), expected)) throw new Failure('STUDIO_KEY_INVALID')
  }
}

/** The constant-time comparison needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

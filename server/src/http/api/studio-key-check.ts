import { createHash, timingSafeEqual } from 'node:crypto'

import { Failure } from '@juicebar/contract/errors'
import { type FastifyRequest } from 'fastify'

import { bearerToken } from './bearer-token.ts'

/** Throws STUDIO_KEY_INVALID unless the request bears the studio's key. Its time does not depend on how much of a guess is right. */
export function createStudioCheck(studioApiKey: string): (request: FastifyRequest) => void {
  const expected = digest(studioApiKey)
  return (request) => {
    if (!timingSafeEqual(digest(bearerToken(request) ?? ''), expected)) throw new Failure('STUDIO_KEY_INVALID')
  }
}

/** Equal lengths are what the constant-time comparison needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

import { SIGNATURE_HEADER } from '@juicebar/contract/endpoints/signed'
import { type FastifyRequest } from 'fastify'

const texts = new WeakMap<FastifyRequest, string>()

/** Keeps the body of a request as it was sent, if a wallet may have signed it. */
export function keepSentBody(request: FastifyRequest, text: string): void {
  if (request.headers[SIGNATURE_HEADER] !== undefined) texts.set(request, text)
}

/** The body of a request with a signature, as it was sent; empty if it has none. */
export function sentBody(request: FastifyRequest): string {
  return texts.get(request) ?? ''
}

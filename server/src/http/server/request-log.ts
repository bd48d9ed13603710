import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Logs requests at debug level only: in a busy market, they would drown out what matters. `failure-reply.ts` logs failures. */
export class RequestLog extends LogController {
  override incomingRequest(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'a request arrived')
  }

  override requestCompleted(error: Error | null | undefined, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.debug({ res: reply, err: error ?? undefined, responseTime: reply.elapsedTime }, 'a request was answered')
  }

  override routeNotFound(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'no route matches a request')
  }
}

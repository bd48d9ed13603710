import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Requests are told at debug level: at a busy market they would drown what matters. Failures are told by `failure-reply.ts`. */
export class RequestLog extends LogController {
  override incomingRequest(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'request')
  }

  override requestCompleted(error: Error | null | undefined, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.debug({ res: reply, err: error ?? undefined, responseTime: reply.elapsedTime }, 'reply')
  }

  override routeNotFound(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'nothing at this address')
  }
}

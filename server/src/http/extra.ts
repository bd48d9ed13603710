import { type FastifyInstance } from 'fastify'
import { type Job } from '../runtime/repeat.ts'
import { type LimitChecks, type LimitName } from './rate-limits.ts'
import { type Api } from './route.ts'

/**
 * A feature that the market would also work without. Everything it adds to a server is here, so the app names it once.
 * `Needs`: what it takes of what the server's features share.
 */
export interface Extra<Needs> {
  /** Declares its calls. */
  calls: (api: Api, needs: Needs) => void
  /** Serves what is not a call of the API. */
  pages?: (fastify: FastifyInstance, limits: Record<LimitName, LimitChecks>, needs: Needs) => Promise<void>
  /** What it does again and again in the background. */
  jobs?: (needs: Needs) => Job[]
  /**
   * Starts what works in the background in its own rhythm.
   * @returns the functions that stop it, in the order in which it was started
   */
  services?: (needs: Needs) => (() => unknown)[]
}

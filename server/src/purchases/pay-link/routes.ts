import { normalizeIP } from '@fastify/rate-limit'
import { type FastifyRequest } from 'fastify'

import { type Api, type Session } from '../../http/api/route.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { makePayLink } from './make-pay-link.ts'
import { readPayLinkState } from './read-pay-link.ts'

export interface PayLinkOptions {
  /** The https address at which phones reach the market; undefined if they do not. */
  publicOrigin: string | undefined
  /** See `createNetworkHash`. */
  hashNetwork: (network: string) => Buffer
  authenticate: (request: FastifyRequest) => Promise<Session>
}

/** Links through which a wallet on a phone buys. The wallet's own calls are in `http/payment-requests.ts`. */
export function payLinkRoutes(api: Api, deps: PurchaseDeps, { publicOrigin, hashNetwork, authenticate }: PayLinkOptions): void {
  api.open('payLink', 'write', async ({ params, request }) => {
    const session = request.headers.authorization === undefined ? undefined : await authenticate(request)
    return makePayLink(deps, publicOrigin, params.id, { network: hashNetwork(normalizeIP(request.ip)), wallet: session?.player })
  })

  api.open('payLinkState', 'read', async ({ params }) => readPayLinkState(deps.database, params.id))
}

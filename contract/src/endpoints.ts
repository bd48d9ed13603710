import { alertEndpoints } from './endpoints/alerts.ts'
import { checkoutEndpoints } from './endpoints/checkouts.ts'
import { figureEndpoints } from './endpoints/figures.ts'
import { payLinkEndpoints } from './endpoints/pay-links.ts'
import { playerEndpoints } from './endpoints/player.ts'
import { studioEndpoints } from './endpoints/studio.ts'

/** Of the calls. HEAD and OPTIONS come by themselves. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Every call of the API: its method and path. `schemas.ts` has the schemas under the same names. */
export const endpoints = {
  ...playerEndpoints,
  ...payLinkEndpoints,
  ...checkoutEndpoints,
  ...figureEndpoints,
  ...alertEndpoints,
  ...studioEndpoints,
} as const

export type EndpointName = keyof typeof endpoints

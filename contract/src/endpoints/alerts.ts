/**
 * Alerts, and how browsers show them while no page is open: the method and path of each call. Separate from `player.ts`, because only one
 * dialog needs them.
 */
export const alertEndpoints = {
  createAlert: 'POST /api/marketplace/alerts',
  alerts: 'GET /api/marketplace/alerts',
  deleteAlert: 'DELETE /api/marketplace/alerts/:id',

  push: 'GET /api/marketplace/push',
  subscribePush: 'PUT /api/marketplace/push',
  unsubscribePush: 'DELETE /api/marketplace/push',
} as const

export type AlertEndpointName = keyof typeof alertEndpoints

import { type Reply } from '@juicebar/contract/calls'
import { type AlertEndpointName, alertEndpoints } from '@juicebar/contract/endpoints/alerts'
import { queryOptions } from '@tanstack/react-query'

import { type AnyInput, callEndpoint, type CallInput } from '../../api/client.ts'
import { keys } from '../../api/queries.ts'

/**
 * Makes one of the calls about alerts and pushes.
 *
 * @throws ApiError
 */
export function callAlerts<Name extends AlertEndpointName>(name: Name, input: CallInput<Name> & AnyInput): Promise<Reply<Name>> {
  return callEndpoint(alertEndpoints[name], input)
}

const alertsKey = [...keys.mine, 'alerts'] as const
/** The query key for this session's pushes. */
export const pushKey = [...keys.mine, 'push'] as const

/** The signed-in player's alerts, newest first. */
export const alertsQuery = queryOptions({
  queryKey: alertsKey,
  queryFn: async ({ signal }) => (await callAlerts('alerts', { signal })).alerts,
  meta: { quiet: true },
})

/** The key to subscribe to pushes with, and the address of this session's pushes. */
export const pushQuery = queryOptions({
  queryKey: pushKey,
  queryFn: ({ signal }) => callAlerts('push', { signal }),
  meta: { quiet: true },
})

import { type Reply } from '@juicebar/contract/calls'
import { type AlertEndpointName, alertEndpoints } from '@juicebar/contract/endpoints/alerts'
import { MAX_PRICE_SOL, MIN_ALERT_SOL } from '@juicebar/contract/limits'
import { solToLamports } from '@juicebar/contract/money'
import { type Alert } from '@juicebar/contract/schemas'
import { queryOptions } from '@tanstack/react-query'

import { type AnyInput, callEndpoint, type CallInput } from '../../api/client.ts'
import { keys } from '../../api/queries.ts'
import { catalogue } from '../../catalogue/catalogue.ts'
import { formatAmount, formatSol } from '../../ui/format.ts'

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

/** The problem with a price as it is typed; an empty field has no problem yet. */
export function priceProblem(text: string): string | undefined {
  if (text === '') return undefined
  const price = Number(text)
  if (!(price >= MIN_ALERT_SOL)) return `The lowest price is ${MIN_ALERT_SOL} SOL.`
  if (price > MAX_PRICE_SOL) return 'The highest price is 1,000,000 SOL.'
  return solToLamports(price) === undefined ? 'At most nine decimals.' : undefined
}

/** The alerts that fired after `mark`, a timestamp of the server. */
export function firedSince(alerts: readonly Alert[], mark: string): Alert[] {
  return alerts.filter(({ firedAt }) => firedAt !== null && firedAt > mark)
}

/** When the last of the alerts fired, as a timestamp of the server; empty if none did. */
export function lastFired(alerts: readonly Alert[]): string {
  return alerts.reduce((last, { firedAt }) => (firedAt !== null && firedAt > last ? firedAt : last), '')
}

/** One sentence for the alerts that fired; undefined if none did. */
export function firedSentence(fired: readonly Alert[]): string | undefined {
  const [first, ...others] = fired
  if (!first) return undefined
  if (others.length > 0) return `${formatAmount(fired.length)} of your price alerts have fired.`
  return `${catalogue().nameOf(first.tokenType)} is for sale at ${formatSol(first.price ?? first.below)} SOL each: your price alert has fired.`
}

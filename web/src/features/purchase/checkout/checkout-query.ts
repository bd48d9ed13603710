import { type Reply } from '@juicebar/contract/calls'
import { checkoutEndpoints } from '@juicebar/contract/endpoints/checkouts'
import { type CheckoutStatus, type PlayerCheckout } from '@juicebar/contract/schemas'
import { queryOptions } from '@tanstack/react-query'

import { ApiError } from '../../../api/api-error.ts'
import { callAsVisitor } from '../../../api/client.ts'
import { keys } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'

/** A checkout as it was last read, with the times of this browser's clock, in milliseconds. */
export interface ReadCheckout extends PlayerCheckout {
  /** Since when it is known to have its status. */
  since: number
  /** Until when it can be paid. */
  until: number
}

/** How often an open checkout is read, in milliseconds, in case somebody else pays for it. */
const OPEN_MS = 8_000
/** The pauses between two readings while something is expected to happen: longer and longer. */
const FIRST_PAUSE_MS = 1_500
const LONGEST_PAUSE_MS = 10_000
/** Each pause is this share of the time that has passed. */
const PAUSE_SHARE = 1 / 5

/** A checkout by the end of its address; null if there is none. It is read again as long as it may change. */
export function checkoutQuery(publicId: string) {
  const queryKey = [...keys.checkouts, publicId]
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const checkout = await readCheckout(publicId, signal)
      return checkout ? asRead(checkout, queryClient.getQueryData<ReadCheckout | null>(queryKey)) : null
    },
    staleTime: 0,
    refetchInterval: ({ state: { data, dataUpdatedAt, errorUpdatedAt } }) => {
      if (errorUpdatedAt > dataUpdatedAt) return growingPause(Date.now() - dataUpdatedAt)
      return data ? pauseBeforeNext(data.status, Date.now() - data.since) : false
    },
    meta: { quiet: true },
  })
}

/** A checkout that was read just now. */
export function asRead(checkout: PlayerCheckout, before?: ReadCheckout | null): ReadCheckout {
  const now = Date.now()
  const since = before?.status === checkout.status ? before.since : now
  return { ...checkout, since, until: now + checkout.millisLeft }
}

/** As a visitor, so that a session that has ended hides nothing. */
async function readCheckout(publicId: string, signal: AbortSignal): Promise<PlayerCheckout | undefined> {
  try {
    return (await callAsVisitor<Reply<'checkout'>>(checkoutEndpoints.checkout, { params: { publicId }, signal })).checkout
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** When to read a checkout again that has had its status for so long, in milliseconds; false for never. */
export function pauseBeforeNext(status: CheckoutStatus, elapsed: number): number | false {
  if (status === 'paying') return growingPause(elapsed)
  return status === 'open' ? OPEN_MS : false
}

function growingPause(elapsed: number): number {
  return Math.min(Math.max(elapsed * PAUSE_SHARE, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
}

import { type CheckoutStatus } from '@juicebar/contract/schemas'

/** What has happened to a checkout while its page was open. */
export interface History {
  /** A payment is reserved. */
  paying: boolean
  /** That payment is this player's. */
  mine: boolean
  /** This player's payment was delivered. */
  delivered: boolean
  /** A payment has ended unpaid. */
  reopened: boolean
}

export const nothing: History = { paying: false, mine: false, delivered: false, reopened: false }

interface Now {
  /** undefined until it is read. */
  status: CheckoutStatus | undefined
  /** A payment of this player is reserved: a signed one alone may still be refused, because somebody else was faster. */
  isReserved: boolean
  isDelivered: boolean
  isUnderWay: boolean
}

/** The history, after what is seen now. */
export function nextHistory(before: History, { status, isReserved, isDelivered, isUnderWay }: Now): History {
  const mine = isReserved || (before.mine && status !== 'open')
  const delivered = before.delivered || isDelivered || (mine && status === 'completed')
  return {
    paying: status === 'paying',
    mine,
    delivered,
    reopened: status === 'open' && !isUnderWay && !delivered && (before.reopened || before.paying),
  }
}

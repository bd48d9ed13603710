import { type Journal } from '../players/journal.ts'
import { type ProductRecord } from './product-record.ts'

/** A time in which the studio restricted everybody, or one wallet, certainly on all servers. Unix milliseconds of this machine's clock. */
export interface RestrictedTime {
  /** Undefined if the whole market was paused. */
  wallet: string | undefined
  from: number
  until: number
}

/**
 * Nothing is held or listed by whoever is restricted. When that was decided lies between the beginning of its transaction, which the
 * database notes by the same clock, and the answer that its player got.
 * @returns a sentence for every violation
 */
export function checkRestrictions(
  times: readonly RestrictedTime[],
  { purchases, listings }: ProductRecord,
  { holds, acknowledged }: Journal,
) {
  const held = [...purchases.values()].flatMap(({ purchaseId, buyer, createdAt }) => {
    const decided = { by: buyer, createdAt, answeredAt: holds.get(purchaseId)?.answeredAt }
    return whatRestricted(times, decided).map((why) => `purchase ${purchaseId} was held ${why} (${createdAt})`)
  })
  const listed = [...listings.values()].flatMap(({ _id, seller, createdAt }) => {
    const decided = { by: seller, createdAt, answeredAt: acknowledged.listed.get(_id) }
    return whatRestricted(times, decided).map((why) => `listing ${_id} was created ${why} (${createdAt})`)
  })
  return [...held, ...listed]
}

/** How many purchases were delivered while the market was paused. */
export function deliveredMeanwhile(times: readonly RestrictedTime[], { purchases }: ProductRecord): number {
  const pauses = times.filter(({ wallet }) => wallet === undefined)
  const isPaused = (moment: number) => pauses.some(({ from, until }) => from <= moment && moment < until)
  return [...purchases.values()].filter(({ settledAt }) => settledAt !== null && isPaused(Date.parse(settledAt))).length
}

interface Decided {
  by: string
  createdAt: string
  /** Undefined if its player never heard of it. */
  answeredAt: number | undefined
}

function whatRestricted(times: readonly RestrictedTime[], { by, createdAt, answeredAt = Infinity }: Decided): string[] {
  const inForce = times.filter(({ wallet, from, until }) => {
    return (wallet === undefined || wallet === by) && from <= Date.parse(createdAt) && answeredAt < until
  })
  return inForce.map(({ wallet }) => (wallet === undefined ? 'while the market was paused' : `while ${wallet} was blocked`))
}

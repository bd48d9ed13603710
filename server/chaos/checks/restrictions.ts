import { type ListingSeen, type ProductRecord, type PurchaseSeen } from './product-record.ts'

/** A time in which the studio restricted everybody, or one wallet, certainly on all servers. Unix milliseconds of this machine's clock. */
export interface RestrictedTime {
  /** Undefined if the whole market was paused. */
  wallet: string | undefined
  from: number
  until: number
}

/**
 * Nothing is held or listed by whoever is restricted. The database notes when the transaction of a hold or of a listing began, by the
 * same clock.
 * @returns a sentence for every violation
 */
export function checkRestrictions(times: readonly RestrictedTime[], { purchases, listings }: ProductRecord): string[] {
  const held = [...purchases.values()].flatMap((purchase) =>
    whatRestricted(times, purchase.buyer, purchase).map((why) => heldText(purchase, why)),
  )
  const listed = [...listings.values()]
    .filter(({ partOf }) => partOf === undefined)
    .flatMap((listing) => whatRestricted(times, listing.seller, listing).map((why) => listedText(listing, why)))
  return [...held, ...listed]
}

/** How many purchases were delivered while the market was paused. */
export function deliveredMeanwhile(times: readonly RestrictedTime[], { purchases }: ProductRecord): number {
  const pauses = times.filter(({ wallet }) => wallet === undefined)
  const isPaused = (moment: number) => pauses.some(({ from, until }) => from <= moment && moment < until)
  return [...purchases.values()].filter(({ settledAt }) => settledAt !== null && isPaused(Date.parse(settledAt))).length
}

function whatRestricted(times: readonly RestrictedTime[], by: string, { createdAt }: { createdAt: string }): string[] {
  const moment = Date.parse(createdAt)
  const inForce = times.filter(({ wallet, from, until }) => (wallet === undefined || wallet === by) && from <= moment && moment < until)
  return inForce.map(({ wallet }) => (wallet === undefined ? 'while the market was paused' : `while ${wallet} was blocked`))
}

function heldText({ purchaseId, createdAt }: PurchaseSeen, why: string): string {
  return `purchase ${purchaseId} was held ${why} (${createdAt})`
}

function listedText({ _id, createdAt }: ListingSeen, why: string): string {
  return `listing ${_id} was created ${why} (${createdAt})`
}

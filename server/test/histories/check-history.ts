import { type ListingSeen, type PurchaseSeen } from '../../chaos/checks/product-record.ts'
import { type History, type ListingTerms, type RecordedCall } from './history.ts'

/**
 * What contradicts the specification of the market in a history, in words; empty if it keeps it. It knows nothing of how a market does it:
 * - A listing sells at most once, and every token is somewhere: tokens are neither made nor lost.
 * - Every delivery was paid for on the chain, as agreed, and every payment on the chain was delivered, or is a case.
 * - What a seller or buyer was told is done stays done, and everybody who asks after that sees it.
 * - Every purchase comes to an end.
 * - What was never asked for never happens.
 * - A session never sees a listing come back that was sold or removed, nor a purchase that was over.
 * Two calls that overlap in time may have happened in either order, and a call without an answer at any time since, or never.
 */
export function checkHistory(history: History): string[] {
  const listings = madeListings(history)
  return [
    ...purchasesEnd(history),
    ...deliveriesArePaid(history),
    ...paymentsAreDelivered(history),
    ...pricesWereAsked(history, listings),
    ...[...listings.values()].flatMap((listing) => listingAddsUp(history, listing)),
    ...balancesAddUp(history, listings),
    ...readsOf(history).flatMap((read) => readIsPossible(history, listings, read)),
    ...sessionsNeverGoBack(history),
    ...whatIsOverStaysOver(history),
  ]
}

/** A listing whose seller was told that it was made. */
interface MadeListing {
  id: string
  seller: string
  terms: ListingTerms
  made: RecordedCall
}

type CallOf<Kind extends RecordedCall['kind']> = Extract<RecordedCall, { kind: Kind }>

function callsOf<Kind extends RecordedCall['kind']>({ calls }: History, kind: Kind): CallOf<Kind>[] {
  return calls.filter((call): call is CallOf<Kind> => call.kind === kind)
}

function madeListings(history: History): Map<string, MadeListing> {
  const made = new Map<string, MadeListing>()
  for (const call of callsOf(history, 'list')) {
    if (call.answer?.status !== 201) continue
    const { _id: id } = call.answer.body['listing'] as { _id: string }
    made.set(id, { id, seller: call.session, terms: call.listing, made: call })
  }
  return made
}

/** It may have happened: it was done, or nobody knows. */
function mayBeDone({ answer }: RecordedCall): boolean {
  return answer === undefined || isDone({ answer })
}

function isDone({ answer }: Pick<RecordedCall, 'answer'>): boolean {
  return answer !== undefined && answer.status < 300
}

function settled({ end }: History): PurchaseSeen[] {
  return [...end.purchases.values()].filter(({ status }) => status === 'settled')
}

/** So much of a listing was delivered. A part belongs to the listing that it was split from. */
function soldOf(listing: string, purchases: readonly PurchaseSeen[]): number {
  return sum(purchases.flatMap(({ items }) => items.flatMap((item) => ((item.partOf ?? item.listingId) === listing ? item.amount : []))))
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}

function purchasesEnd({ end }: History): string[] {
  return [...end.purchases.values()].flatMap(({ purchaseId, status }) =>
    status === 'held' ? [`purchase ${purchaseId} is never over`] : [],
  )
}

// Money

function deliveriesArePaid(history: History): string[] {
  const signatures = settled(history).map(({ signature }) => signature)
  const twice = signatures.filter((signature, index) => signatures.indexOf(signature) < index)
  const unpaid = settled(history).filter(({ buyer, items, signature }) => {
    const made = (history.landed.get(signature ?? '')?.transfers ?? []).filter(({ from }) => from === buyer)
    const agreed = items.map(({ seller, lamports }) => `${lamports} to ${seller}`)
    return (
      agreed.toSorted().join() !==
      made
        .map(({ to, lamports }) => `${lamports} to ${to}`)
        .toSorted()
        .join()
    )
  })
  return [
    ...twice.map((signature) => `payment ${signature} paid for two deliveries`),
    ...unpaid.map(({ purchaseId }) => `purchase ${purchaseId} was delivered, but not paid for as agreed`),
  ]
}

function paymentsAreDelivered(history: History): string[] {
  const known = new Set(settled(history).map(({ signature }) => signature))
  const cases = new Set([...history.end.cases.values()].map(({ signature }) => signature))
  const lost = [...history.landed.keys()].filter((signature) => !known.has(signature) && !cases.has(signature))
  return lost.map((signature) => `payment ${signature} is on the chain, and nobody got anything for it`)
}

/** What was delivered cost what its seller asked for when it was reserved. */
function pricesWereAsked(history: History, listings: ReadonlyMap<string, MadeListing>): string[] {
  const reserved = new Map(callsOf(history, 'pay').map((call) => [String(call.answer?.body['purchaseId']), call]))
  return settled(history).flatMap(({ purchaseId, items }) => {
    const call = reserved.get(purchaseId)
    // Nobody waited for the answer, so when it was reserved is not known.
    if (!call) return []
    return items.flatMap((item) => {
      const listing = listings.get(item.partOf ?? item.listingId)
      if (!listing) return [`purchase ${purchaseId} is of a listing that nobody has made`]
      const possible = possiblePrices(history, listing, call).map((lamports) => share(listing, lamports, item.amount))
      return possible.includes(BigInt(item.lamports))
        ? []
        : [`purchase ${purchaseId} cost ${item.lamports}, which its seller never asked for`]
    })
  })
}

function share({ terms }: MadeListing, lamports: bigint, amount: number): bigint {
  return terms.divisible ? (lamports * BigInt(amount)) / BigInt(terms.amount) : lamports
}

/** The prices that all of a listing may have had at some moment of a call. */
function possiblePrices(history: History, { id, terms, made }: MadeListing, during: RecordedCall): bigint[] {
  const changes = callsOf(history, 'price').filter((call) => call.listing === id && mayBeDone(call) && call.startedAt < during.endedAt)
  const all: { lamports: bigint; startedAt: number; endedAt: number; sure: boolean }[] = [
    { lamports: terms.lamports, startedAt: made.startedAt, endedAt: made.endedAt, sure: true },
    ...changes.map((call) => ({ ...call, sure: isDone(call) })),
  ]
  const isReplaced = (price: (typeof all)[number]) =>
    all.some(({ sure, startedAt, endedAt }) => sure && startedAt > price.endedAt && endedAt < during.startedAt)
  return all.filter((price) => !isReplaced(price)).map(({ lamports }) => lamports)
}

// Tokens

function familyOf({ end }: History, { id }: MadeListing): ListingSeen[] {
  return [...end.listings.values()].filter(({ _id, partOf }) => _id === id || partOf === id)
}

/** What went back to the seller of a listing. */
function returnedOf(history: History, listing: MadeListing): number {
  const forSale = familyOf(history, listing).flatMap(({ status, amount }) => (status === 'active' ? amount : []))
  return listing.terms.amount - soldOf(listing.id, settled(history)) - sum(forSale)
}

function removalsOf(history: History, listing: string): CallOf<'remove'>[] {
  return callsOf(history, 'remove').filter((call) => call.listing === listing && mayBeDone(call))
}

function listingAddsUp(history: History, listing: MadeListing): string[] {
  const { id, terms } = listing
  const last = history.end.listings.get(id)
  if (!last) return [`listing ${id} is gone`]
  const sold = soldOf(id, settled(history))
  const returned = returnedOf(history, listing)
  const removals = removalsOf(history, id)
  return [
    ...(sold > terms.amount || returned < 0 ? [`of ${terms.amount} of listing ${id}, ${sold} were sold`] : []),
    ...(returned > 0 && removals.length === 0 ? [`${returned} of listing ${id} are gone, and nobody has removed it`] : []),
    ...(removals.some(isDone) && last.status === 'active' ? [`listing ${id} is for sale, although it was removed`] : []),
    ...(last.status === 'sold' && sold === 0 ? [`listing ${id} is sold, and nobody has bought it`] : []),
  ]
}

function balancesAddUp(history: History, listings: ReadonlyMap<string, MadeListing>): string[] {
  const { credits, end } = history
  const expected = new Map([...end.balances.keys()].map((key) => [key, credits.get(key) ?? 0]))
  const add = (wallet: string, tokenType: string, amount: number) => {
    const key = `${wallet} ${tokenType}`
    expected.set(key, (expected.get(key) ?? 0) + amount)
  }
  for (const listing of listings.values()) add(listing.seller, listing.terms.tokenType, returnedOf(history, listing) - listing.terms.amount)
  for (const { buyer, items } of settled(history)) for (const item of items) add(buyer, item.tokenType, item.amount)
  return [...expected].flatMap(([key, amount]) => {
    const has = end.balances.get(key) ?? 0
    return has === amount ? [] : [`${key}: has ${has} instead of ${amount}`]
  })
}

// What was seen

interface Read {
  call: CallOf<'read'>
  seen: { status: string; amount: number; lamports: string }
}

function readsOf(history: History): Read[] {
  return callsOf(history, 'read').flatMap((call) => {
    return call.answer?.status === 200 ? [{ call, seen: call.answer.body['listing'] as Read['seen'] }] : []
  })
}

/** Purchases of a listing of which a buyer had been told before this moment that they were delivered. */
function deliveredBefore(history: History, listing: string, time: number): PurchaseSeen[] {
  const told = callsOf(history, 'follow').filter((call) => call.endedAt < time && statusOf(call) === 'settled')
  const ids = new Set(told.map(({ purchase }) => purchase))
  return settled(history).filter((purchase) => ids.has(purchase.purchaseId) && soldOf(listing, [purchase]) > 0)
}

function statusOf({ answer }: CallOf<'follow'>): string | undefined {
  return (answer?.body['purchase'] as { status: string } | undefined)?.status
}

function readIsPossible(history: History, listings: ReadonlyMap<string, MadeListing>, { call, seen }: Read): string[] {
  const listing = listings.get(call.listing)
  if (!listing) return []
  const { id, terms } = listing
  const begun = callsOf(history, 'pay').filter((pay) => pay.listing === id && mayBeDone(pay) && pay.startedAt < call.endedAt)
  const removals = removalsOf(history, id)
  const delivered = soldOf(id, deliveredBefore(history, id, call.startedAt))
  const least = terms.amount - sum(begun.map(({ amount }) => amount))
  const saw = (what: string) => `${call.session} saw ${what} of listing ${id}`
  if (seen.status === 'removed')
    return removals.some(({ startedAt }) => startedAt < call.endedAt) ? [] : [saw('the removal, which nobody had asked for,')]
  if (seen.status === 'sold') return begun.length > 0 ? [] : [saw('the sale, to nobody,')]
  const isPriced = terms.divisible || possiblePrices(history, listing, call).includes(BigInt(seen.lamports))
  return [
    ...(removals.some((removal) => isDone(removal) && removal.endedAt < call.startedAt) ? [saw('nothing of the removal')] : []),
    ...(seen.amount > terms.amount - delivered ? [saw(`${seen.amount} left, after ${delivered} of ${terms.amount} were delivered,`)] : []),
    ...(seen.amount < least ? [saw(`${seen.amount} left, less than the ${least} that nobody was buying,`)] : []),
    ...(isPriced ? [] : [saw(`the price ${seen.lamports}, which it did not have,`)]),
  ]
}

function sessionsNeverGoBack(history: History): string[] {
  const reads = readsOf(history)
  return reads.flatMap(({ call, seen }) => {
    if (seen.status === 'active') return []
    const later = reads.filter(
      (other) => other.call.session === call.session && other.call.listing === call.listing && other.call.startedAt > call.endedAt,
    )
    return later.some((other) => other.seen.status !== seen.status)
      ? [`${call.session} saw listing ${call.listing} ${seen.status}, and then not any more`]
      : []
  })
}

function whatIsOverStaysOver(history: History): string[] {
  const follows = callsOf(history, 'follow')
  const told = follows.filter((call) => statusOf(call) === 'settled' || statusOf(call) === 'ended')
  const isAgain = (call: CallOf<'follow'>) =>
    follows.some((other) => other.purchase === call.purchase && other.startedAt > call.endedAt && statusOf(other) === 'held')
  const isUndone = (call: CallOf<'follow'>) =>
    statusOf(call) === 'settled' && history.end.purchases.get(call.purchase)?.status !== 'settled'
  const gone = told.filter((call) => isAgain(call) || isUndone(call))
  return gone.map(({ purchase }) => `purchase ${purchase} was over, and then not any more`)
}

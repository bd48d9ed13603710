import { LRUCache } from 'lru-cache'
import { type Signature } from '@juicebar/contract/addresses'
import { type Chain, type LandedTransaction, type SignatureStatus } from '../../chain/chain.ts'
import { isOutOfReach, lastHeightOf } from './purchase.ts'
import { type PurchaseDeps } from './purchase-deps.ts'

/** Of each chain client: when this server first waited for something, by its name. Beyond the number, the oldest are forgotten. */
const beginnings = new WeakMap<Chain, LRUCache<string, number>>()
const MAX_KEPT = 10_000

/** In monotonic milliseconds. Tests let it run faster. */
export const clock = { now: () => performance.now() }

/** How long the end of a hold or reservation waits for an endpoint that does not answer, and may list what the others hide. */
const SILENCE_SECONDS = 60

/**
 * Whether something still waits for an endpoint that does not answer. To be asked after a request to all of them: one that did not answer
 * it is known by then. The wait begins again once all have answered, since what waits was decided then.
 * @param what names it; what is decided apart needs names of its own
 * @param about the addresses and signatures that all of them were asked about
 */
export function waitsForSilent(chain: Chain, what: string, about: readonly string[]): boolean {
  if (!chain.isWhole(...about)) return mayWait(chain, what, SILENCE_SECONDS)
  endWait(chain, what)
  return false
}

/**
 * How long the end of a hold or reservation waits for an endpoint that shows what another one lists. One that invents what it lists must not
 * lock a listing.
 */
export const SHOWN_SECONDS = 60

/**
 * Whether something may go on waiting for endpoints that do not answer, because one of them may know better than those that do. One that is
 * silent for long must not lock a listing.
 * @param what names it
 * @param seconds how long it may wait, since it was first asked
 */
export function mayWait(chain: Chain, what: string, seconds: number): boolean {
  const begun = beginnings.get(chain) ?? new LRUCache<string, number>({ max: MAX_KEPT })
  beginnings.set(chain, begun)
  const since = begun.get(what) ?? clock.now()
  begun.set(what, since)
  return clock.now() - since < seconds * 1_000
}

/**
 * Whether a transaction that only one endpoint shows so waits for a second one: a minute for one that does not answer, or a quarter of an hour
 * for one that hides it or contradicts it. After that, its word counts, unless it is contradicted.
 */
export function waitsForSecond(
  chain: Chain,
  { signature, doubt }: { signature: Signature; doubt?: LandedTransaction['doubt'] | undefined },
): boolean {
  const [silent, hidden] = [`${signature} second silent`, `${signature} second hidden`]
  if (doubt === 'alone' && !chain.isWhole(signature)) return mayWait(chain, silent, SILENCE_SECONDS)
  endWait(chain, silent)
  if (doubt !== undefined) return mayWait(chain, hidden, ALONE_SECONDS)
  endWait(chain, hidden)
  return false
}

/** Forgets when something began to wait, because it has come. */
export function endWait(chain: Chain, what: string): void {
  beginnings.get(chain)?.delete(what)
}

/**
 * How long something waits for a second endpoint, if there are several and not all of them answer, or one hides what the other shows. After
 * that, one is enough: a case would never close, and a history never go on.
 */
export const ALONE_SECONDS = 15 * 60

/**
 * The statuses by which payments are delivered. With `SETTLE_AT=finalized` and several endpoints, two must call a payment final, or one if
 * another has been silent for a minute, or has hidden the payment for a quarter of an hour: a buyer who has paid gets the drinks, and one that
 * lies has none delivered at once.
 * @throws CHAIN_DOWN
 */
export async function paymentStatuses(
  { chain, settings }: Pick<PurchaseDeps, 'chain' | 'settings'>,
  signatures: readonly Signature[],
): Promise<ReadonlyMap<Signature, SignatureStatus>> {
  if (settings.settleAt === 'confirmed') return chain.statuses(signatures)
  return finalStatuses(chain, signatures, (signature) => (chain.isWhole(signature) ? ALONE_SECONDS : SILENCE_SECONDS))
}

async function finalStatuses(chain: Chain, signatures: readonly Signature[], secondsFor: (signature: Signature) => number) {
  const agreed = await chain.finality(signatures)
  const isLone = (signature: Signature) =>
    agreed.get(signature)?.commitment === 'confirmed' && !mayWait(chain, `${signature} final`, secondsFor(signature))
  const lone = signatures.filter(isLone)
  return lone.length === 0 ? agreed : new Map([...agreed, ...(await chain.statuses(lone))])
}

/**
 * What two endpoints of several say of a transaction, or one a quarter of an hour later: of a payment in any event, because a buyer who has
 * paid must not wait for ever, and of a refund only if not all of them answer, because one that answers and does not know it may be right.
 * @throws CHAIN_DOWN
 */
export async function readFinality(
  chain: Chain,
  signature: Signature,
  { isPayment }: { isPayment: boolean },
): Promise<SignatureStatus | undefined> {
  const isAnswered = !isPayment && chain.isWhole(signature)
  const statuses = isAnswered ? chain.finality([signature]) : finalStatuses(chain, [signature], () => ALONE_SECONDS)
  return (await statuses).get(signature)
}

/**
 * A height to store in place of one that nothing signed by now can reach, because an endpoint had told a wrong one: that of now, since
 * everything was signed before.
 * @param what names it
 * @param tip the highest height of any endpoint, read now
 * @returns undefined if it is within reach, or if an endpoint that does not answer may be ahead of those that do
 */
export function loweredHeight(chain: Chain, what: string, stored: bigint, tip: bigint): bigint | undefined {
  if (!isOutOfReach(stored, tip)) return undefined
  return !chain.isWhole() && mayWait(chain, `${what} height`, ALONE_SECONDS) ? undefined : lastHeightOf(tip)
}

import { type CheckoutStatus } from '@juicebar/contract/schemas'

import { formatAmount, shortAddress } from '../../../ui/format.ts'
import { formatLamports } from '../order/order-terms.ts'
import { cannotBuyHere } from '../way-to-pay.ts'

/**
 * What a player has to do next: the page's one button. checking: it is not known yet whether the player is signed in, or the Demo Wallet's
 * first SOL is on its way.
 */
export type Step = 'checking' | 'connect' | 'connecting' | 'sign-in' | 'signing-in' | 'pay'

/** Why an open checkout cannot be paid at the moment. Amounts of SOL are in lamports. */
export type Obstacle =
  | { kind: 'away' }
  | { kind: 'paused'; reason: string }
  /** The market does not trade the item any more. */
  | { kind: 'delisted' }
  /** Its price is not known yet. */
  | { kind: 'unpriced' }
  | { kind: 'short'; forSale: number; wanted: number; toOthers: boolean }
  | { kind: 'dear'; costs: bigint; most: bigint }
  | { kind: 'other wallet'; connected: string }
  | { kind: 'wallet cannot pay' }
  | { kind: 'refused'; reason: string }
  | { kind: 'poor'; has: bigint; needs: bigint }

/** True if nobody can pay as things are, so that the page has no button for it, but the way back. */
export function hasNothingToPay(obstacle: Obstacle | undefined): obstacle is Extract<Obstacle, { kind: 'short' | 'delisted' | 'dear' }> {
  return obstacle?.kind === 'short' || obstacle?.kind === 'delisted' || obstacle?.kind === 'dear'
}

/** What the page of a checkout shows. `mine`: this player pays, or this page has seen the player pay. */
export type Screen =
  | { kind: 'loading' | 'unreachable' | 'missing' | 'expired' }
  | { kind: 'paying' | 'completed'; mine: boolean }
  | { kind: 'open'; obstacle: Obstacle | undefined; step: Step }

/** A quote for the checkout's amount. */
interface Price {
  /** How many of the amount can be had. */
  amount: number
  complete: boolean
  /** With the studio's fee, in lamports. */
  total: bigint
}

/** Everything that decides what the page shows. */
export interface CheckoutState {
  /** undefined until it is read; null if there is none. */
  checkout: { status: CheckoutStatus; amount: number; maxLamports: string | null } | null | undefined
  /** The last answer of the server did not come. */
  away: boolean
  /** A payment of this player is under way. */
  underWay: boolean
  /** This page has seen the player's payment be delivered. */
  delivered: boolean
  /** By this browser's clock, nobody can pay it any more. */
  timeIsUp: boolean
  /** What the studio says while the market is paused. */
  paused: string | undefined
  /** The market does not trade the item any more. */
  delisted: boolean
  /** undefined until it is known. */
  price: Price | undefined
  /** Who is signed in: listings of the player's own are left out then. */
  walletAddress: string | undefined
  /** The connected wallet cannot pay in this market. */
  cannotPay: boolean
  /** Why the server refuses an offer to this player. */
  refusal: { code: string; message: string } | undefined
  /** What the player has, in lamports; undefined if it is not known. */
  sol: bigint | undefined
  /** In lamports. */
  networkFee: bigint
  step: Step
}

/** What to show for a state: what has happened comes first, then what can be done. */
export function screenOf(state: CheckoutState): Screen {
  const { checkout, away, underWay, delivered, timeIsUp, step } = state
  if (checkout === null) return { kind: 'missing' }
  if (checkout === undefined) return { kind: away ? 'unreachable' : 'loading' }
  if (delivered) return { kind: 'completed', mine: true }
  if (underWay) return { kind: 'paying', mine: true }
  const { status } = checkout
  if (status === 'completed' || status === 'paying') return { kind: status, mine: false }
  if (status === 'expired' || timeIsUp) return { kind: 'expired' }
  return { kind: 'open', obstacle: obstacleOf(checkout, state), step }
}

/** What is in the way of everybody comes before what is in the way of this wallet. */
function obstacleOf(
  { amount, maxLamports }: NonNullable<CheckoutState['checkout']>,
  { away, paused, delisted, price, walletAddress, step, ...wallet }: CheckoutState,
): Obstacle | undefined {
  if (away) return { kind: 'away' }
  if (paused !== undefined) return { kind: 'paused', reason: paused }
  if (delisted) return { kind: 'delisted' }
  if (!price) return { kind: 'unpriced' }
  if (!price.complete) return { kind: 'short', forSale: price.amount, wanted: amount, toOthers: walletAddress !== undefined }
  if (maxLamports !== null && price.total > BigInt(maxLamports)) return { kind: 'dear', costs: price.total, most: BigInt(maxLamports) }
  return step === 'pay' && walletAddress !== undefined ? obstacleOfWallet(price.total, walletAddress, wallet) : undefined
}

function obstacleOfWallet(
  total: bigint,
  connected: string,
  { cannotPay, refusal, sol, networkFee }: Pick<CheckoutState, 'cannotPay' | 'refusal' | 'sol' | 'networkFee'>,
): Obstacle | undefined {
  if (cannotPay) return { kind: 'wallet cannot pay' }
  if (refusal?.code === 'CHECKOUT_OTHER_WALLET') return { kind: 'other wallet', connected }
  if (refusal) return { kind: 'refused', reason: refusal.message }
  const needs = total + networkFee
  return sol !== undefined && sol < needs ? { kind: 'poor', has: sol, needs } : undefined
}

/** What screen readers announce when the page shows something else. What the page announces elsewhere is not repeated here. */
export function screenText(screen: Screen): string | undefined {
  switch (screen.kind) {
    case 'loading':
    case 'open':
      return undefined
    case 'unreachable':
      return 'The market cannot be reached.'
    case 'missing':
      return 'This checkout does not exist.'
    case 'expired':
      return 'This checkout has expired.'
    case 'paying':
      return screen.mine ? undefined : 'A payment for this checkout is under way.'
    case 'completed':
      return screen.mine ? 'Delivered.' : 'This checkout has been paid.'
  }
}

/** Why a checkout cannot be paid at the moment, and what happens next; undefined if there is nothing to say. */
export function obstacleText(obstacle: Obstacle, item: string): string | undefined {
  switch (obstacle.kind) {
    case 'away':
      return 'The market cannot be reached right now. You can pay as soon as it answers again.'
    case 'paused':
      return `Buying is paused: ${obstacle.reason} You can pay as soon as it goes on.`
    case 'delisted':
      return `${item} is not traded here any more, so this checkout cannot be paid.`
    case 'unpriced':
      return undefined
    case 'short':
      return `${shortText(obstacle, item)} This page keeps looking for more.`
    case 'dear':
      return `It costs more right now than the game allows: ${sol(obstacle.costs)} instead of at most ${sol(obstacle.most)}. This page keeps looking for a better price.`
    case 'other wallet':
      return `This checkout is for another wallet, not for ${shortAddress(obstacle.connected)}. Connect the one that you use in the game.`
    case 'wallet cannot pay':
      return cannotBuyHere
    case 'refused':
      return obstacle.reason
    case 'poor':
      return `Your wallet has ${sol(obstacle.has)}, but this takes ${sol(obstacle.needs)} with the network fee. Add SOL to it, or use another wallet.`
  }
}

const sol = (lamports: bigint) => `${formatLamports(lamports)} SOL`

function shortText({ forSale, wanted, toOthers }: Extract<Obstacle, { kind: 'short' }>, item: string): string {
  if (forSale > 0) return `Only ${formatAmount(forSale)} of ${formatAmount(wanted)} are for sale right now.`
  return `${toOthers ? 'Nobody else' : 'Nobody'} sells ${item} right now.`
}

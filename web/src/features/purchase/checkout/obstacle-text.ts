import { formatAmount } from '../../../ui/format.ts'
import { formatLamports } from '../order/order-text.ts'
import { cannotBuyHere } from '../way-to-pay.ts'
import { type Obstacle } from './screen.ts'

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
      return 'This checkout is for another wallet. Connect the one that you use in the game.'
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

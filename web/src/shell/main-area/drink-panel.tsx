import { type TokenType } from '@juicebar/contract/catalogue'

import { TellMe } from '../../features/alerts/tell-me.tsx'
import { BestPrice } from '../../features/purchase/best-price/best-price.tsx'

interface DrinkPanelProps {
  tokenType: TokenType
  walletAddress: string | undefined
  /** Nothing can be bought now. */
  paused: boolean
}

/** The actions for a drink: buy it at the best price, and set a price alert. */
export function DrinkPanel({ paused, ...drink }: DrinkPanelProps) {
  return <BestPrice {...drink} paused={paused} action={<TellMe key={drink.tokenType} {...drink} />} />
}

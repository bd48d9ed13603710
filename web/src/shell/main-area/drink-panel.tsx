import { type TokenType } from '@juicebar/contract/catalogue'

import { TellMe } from '../../features/alerts/tell-me.tsx'
import { BestPrice } from '../../features/purchase/best-price/best-price.tsx'

interface DrinkPanelProps {
  tokenType: TokenType
  walletAddress: string | undefined
  /** Nothing can be bought now. */
  paused: boolean
}

/** The actions for a drink: buy it at the best price and, when signed in, set a price alert. */
export function DrinkPanel({ walletAddress, ...drink }: DrinkPanelProps) {
  const bell = walletAddress !== undefined && <TellMe key={drink.tokenType} tokenType={drink.tokenType} walletAddress={walletAddress} />
  return <BestPrice {...drink} walletAddress={walletAddress} action={bell} />
}

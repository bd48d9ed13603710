import { tokenName, type TokenType } from '@juicebar/contract/token-types'

import appleJuice from './drinks/apple-juice.svg'
import grapeSoda from './drinks/grape-soda.svg'
import orangeJuice from './drinks/orange-juice.svg'

const pictures: Record<TokenType, string> = { APPLE_JUICE: appleJuice, ORANGE_JUICE: orangeJuice, GRAPE_SODA: grapeSoda }

/** The picture of a drink; its alternative text is the drink's name. */
export function DrinkImage({ tokenType }: { tokenType: TokenType }) {
  return <img src={pictures[tokenType]} alt={tokenName(tokenType)} width={160} height={200} decoding="async" draggable={false} />
}

/** A drink on its lit counter. Set the size with `className`. */
export function DrinkPlate({ tokenType, className = '' }: { tokenType: TokenType; className?: string }) {
  return (
    <div className={`plate ${className}`} data-token={tokenType}>
      <DrinkImage tokenType={tokenType} />
    </div>
  )
}

import { type TokenType } from '@juicebar/contract/catalogue'

import { catalogue } from './catalogue.ts'

interface DrinkImageProps {
  tokenType: TokenType
  /** It is one of many in a list, and is loaded when it comes near the window. */
  late?: boolean
}

/** The picture of a drink or another item; its alternative text is the item's name. */
export function DrinkImage({ tokenType, late }: DrinkImageProps) {
  const { image, name } = catalogue().item(tokenType)
  return <img src={image} alt={name} width={160} height={200} decoding="async" draggable={false} {...(late && { loading: 'lazy' })} />
}

/** An item on its lit counter. Set the size with `className`. */
export function DrinkPlate({ className = '', ...drink }: DrinkImageProps & { className?: string }) {
  return (
    <div className={`plate ${className}`} data-token={drink.tokenType}>
      <DrinkImage {...drink} />
    </div>
  )
}

import { useEffect } from 'react'

import { readBasket, writeBasket } from '../order/basket.ts'
import { useBasket } from '../order/basket-store.ts'

const KEY = 'basket'

/** Keeps the basket of a wallet over a reload of this tab. It is empty for any other wallet, and after a logout. */
export function useKeptBasket(walletAddress: string): void {
  useEffect(() => {
    useBasket.setState({ listings: readBasket(sessionStorage.getItem(KEY), walletAddress) })
    const stop = useBasket.subscribe(({ listings }) => sessionStorage.setItem(KEY, writeBasket(walletAddress, listings)))
    return () => {
      stop()
      useBasket.setState({ listings: [] })
    }
  }, [walletAddress])
}

import { useEffect } from 'react'

import { readBasket, writeBasket } from '../order/basket.ts'
import { useBasket } from '../order/basket-store.ts'

const KEY = 'basket'

/** Keeps the basket of a wallet over a reload of this tab. It is empty for any other wallet, and after a logout. */
export function useKeptBasket(walletAddress: string): void {
  useEffect(() => {
    useBasket.setState({ lots: readBasket(sessionStorage.getItem(KEY), walletAddress) })
    const stop = useBasket.subscribe(({ lots }) => sessionStorage.setItem(KEY, writeBasket(walletAddress, lots)))
    return () => {
      stop()
      useBasket.setState({ lots: [] })
    }
  }, [walletAddress])
}

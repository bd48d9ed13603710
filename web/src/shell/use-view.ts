import { useState } from 'react'

import { type View } from './views.ts'

const visitorViews: readonly View[] = ['marketplace']
const memberViews: readonly View[] = ['marketplace', 'inventory', 'listings']

interface CurrentView {
  view: View
  /** The views to choose from. */
  views: readonly View[]
  setView: (view: View) => void
}

/** The current view. Every login and every logout begins at the market. */
export function useView(walletAddress: string | undefined): CurrentView {
  const [chosen, setChosen] = useState<{ walletAddress: string | undefined; view: View }>()
  return {
    view: chosen && chosen.walletAddress === walletAddress ? chosen.view : 'marketplace',
    views: walletAddress === undefined ? visitorViews : memberViews,
    setView(view) {
      setChosen({ walletAddress, view })
      window.scrollTo(0, 0)
    },
  }
}

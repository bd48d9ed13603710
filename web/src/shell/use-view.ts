import { useState } from 'react'

import { goTo, usePath } from '../navigation/path.ts'

const visitorViews: readonly View[] = ['marketplace']
const memberViews: readonly View[] = ['marketplace', 'inventory', 'listings']

interface CurrentView {
  view: View
  /** The views to choose from. */
  views: readonly View[]
  setView: (view: View) => void
}

/** The address of the views; pages of their own, such as that of a drink, are part of the market. */
const VIEWS_PATH = '/'

/** The current view. Every login and every logout begins at the market. */
export function useView(walletAddress: string | undefined): CurrentView {
  const path = usePath()
  const [chosen, setChosen] = useState<{ walletAddress: string | undefined; view: View }>()
  return {
    view: path === VIEWS_PATH && chosen && chosen.walletAddress === walletAddress ? chosen.view : 'marketplace',
    views: walletAddress === undefined ? visitorViews : memberViews,
    setView(view) {
      setChosen({ walletAddress, view })
      if (path === VIEWS_PATH) scrollTo(0, 0)
      else goTo(VIEWS_PATH)
    },
  }
}

export type View = 'marketplace' | 'inventory' | 'listings'

/** The id of the element that holds the current view. */
export const VIEW_ID = 'view'

/** The id of the tab that opens a view. */
export function tabId(view: View): string {
  return `tab-${view}`
}

import { useEffect } from 'react'

import { marketSettings } from '../settings/market-settings.ts'

/** What the browser calls the page, as the server does in the HTML; undefined leaves it as it is. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return undefined
    const { title } = marketSettings()
    document.title = `${name} · ${title}`
    return () => {
      document.title = title
    }
  }, [name])
}

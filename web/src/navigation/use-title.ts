import { useEffect } from 'react'

import { marketSettings } from '../settings/market-settings.ts'

/** Sets the page's title like the server does in the HTML; undefined leaves it unchanged. */
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

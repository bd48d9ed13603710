import { type ComponentProps, type MouseEvent } from 'react'

import { goTo } from './path.ts'

interface AppLinkProps extends ComponentProps<'a'> {
  href: string
  /** See `goTo`. */
  scroll?: boolean
}

/** A link to a page of the market, which is shown without loading the web app again, unless the person wants it in another tab. */
export function AppLink({ href, scroll = true, onClick, children, ...rest }: AppLinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onClick?.(event)
    goTo(href, { scroll })
  }
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  )
}

import { type ComponentProps, type MouseEvent } from 'react'

import { goTo } from './path.ts'

/** A link to a page of the market, which is shown without loading the web app again, unless the person wants it in another tab. */
export function AppLink({ href, children, ...rest }: ComponentProps<'a'> & { href: string }) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo(href)
  }
  return (
    <a {...rest} href={href} onClick={onClick}>
      {children}
    </a>
  )
}

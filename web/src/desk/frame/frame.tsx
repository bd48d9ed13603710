import { type PublicConfig } from '@juicebar/contract/schemas'
import { type ReactNode, useEffect, useRef } from 'react'

import { logOut, useSession } from '../../session/session-store.ts'
import { ConnectedWallet } from '../../session/connected-wallet.tsx'
import { ThemeToggle } from '../../shell/theme-toggle.tsx'
import { Button } from '../../ui/button.tsx'
import { shortAddress } from '../../ui/format.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { useMay } from '../desk-queries.ts'
import { SearchField } from '../find/search-field.tsx'
import { Brand } from './gate.tsx'
import { type Place, placeLink, sections } from './places.ts'

interface FrameProps {
  config: PublicConfig
  place: Place
  children: ReactNode
}

/** Name, search, navigation and footer around a part of the desk. */
export function Frame({ config, place, children }: FrameProps) {
  const { productName } = config
  const admin = useMay('admin')
  const shown = sections.filter(({ scope }) => scope === 'read' || admin)
  const title = sections.find(({ name }) => name === place.section)?.title ?? ''
  const heading = useRef<HTMLHeadingElement>(null)
  const nav = useRef<HTMLElement>(null)
  const { section, detail } = place
  const where = placeLink(section, detail)
  const shownBefore = useRef(where)
  useEffect(() => {
    document.title = `${title} · ${productName} desk`
  }, [title, productName])
  // On a narrow screen there is no room for all links. Of some browsers, `scrollIntoView` would also move where the next Tab begins.
  useEffect(() => {
    const link = nav.current?.querySelector(`[href="${placeLink(section)}"]`)
    if (nav.current && link) nav.current.scrollLeft += middleOf(link) - middleOf(nav.current)
  }, [section])
  // After following a link, the focus moves to the new part's title.
  useEffect(() => {
    if (shownBefore.current === where) return
    shownBefore.current = where
    window.scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [where])
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#desk-main"
        className="skip"
        onClick={(event) => {
          event.preventDefault()
          heading.current?.focus()
        }}
      >
        Skip to the content
      </a>
      <header className="border-b border-line">
        <div className="desk-width grid grid-cols-[1fr_auto] items-center gap-x-2 gap-y-3 py-3 sm:gap-x-4 md:grid-cols-[auto_minmax(0,34rem)_auto] md:justify-between">
          <Brand productName={productName} />
          <div className="max-md:order-last max-md:col-span-2">
            <SearchField key={where} text={section === 'find' ? detail : ''} />
          </div>
          <div className="flex items-center justify-end gap-2">
            <Button kind="bare" small onClick={() => void logOut()}>
              Logout
            </Button>
            <SignedInAs />
            <ConnectedWallet localChain={config.network === 'localnet'} demoWallet={config.demoWallet} />
          </div>
        </div>
      </header>
      <div className="desk-width grid w-full flex-1 content-start gap-x-8 lg:grid-cols-[11rem_minmax(0,1fr)]">
        <nav ref={nav} aria-label="Desk" className="desk-nav">
          <ul>
            {shown.map(({ name, title: label }) => (
              <li key={name}>
                <a href={placeLink(name)} aria-current={name === section ? 'page' : undefined} className="desk-link">
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="desk-main" className="min-w-0 py-6 lg:py-8">
          <h2 ref={heading} tabIndex={-1} className="mb-6 text-title outline-none">
            {title}
          </h2>
          {children}
        </main>
      </div>
      <footer className="border-t border-line">
        <div className="desk-width flex flex-wrap items-center gap-x-6 gap-y-2 py-4 text-tiny text-dim">
          <p className="flex-1 basis-60">Days are in UTC, times in your time zone.</p>
          <a href="/" className="py-2 hover:text-text">
            The market
          </a>
          <a href="/docs" className="py-2 hover:text-text">
            The API
          </a>
          <ThemeToggle />
        </div>
      </footer>
    </div>
  )
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}

/** Who is signed in, as long as no wallet is connected that says so: the desk asks for one only to sign. */
function SignedInAs() {
  const { user } = useSession()
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  if (!user || connected) return null
  return <span className="figures px-2 text-small text-dim">{shortAddress(user.walletAddress)}</span>
}

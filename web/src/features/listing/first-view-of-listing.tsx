import { useEffect, useRef, useState } from 'react'

import { AppLink } from '../../navigation/app-link.tsx'
import { useTitle } from '../../navigation/path.ts'
import { followPress } from '../../ui/follow-press.ts'
import { CloseIcon } from '../../ui/icons.tsx'
import { useHydrated } from '../../ui/in-browser.tsx'
import { ListingContent, type ListingContentProps, listingPageTitle, listingTitle } from './listing-content.tsx'

/** What the dialog of a listing shows, and where, until the dialog is there. Without a script it stays. */
export function FirstViewOfListing(content: ListingContentProps) {
  const { listing, onClose } = content
  useTitle(listingPageTitle(listing))
  useEscape(onClose)
  const section = useRef<HTMLElement>(null)
  const [isShownAgain] = useState(useHydrated())
  useEffect(() => {
    // The browser heeds `autofocus` only in what the server has sent.
    if (isShownAgain) section.current?.focus({ preventScroll: true })
  }, [isShownAgain])
  return (
    <div className="dialog-place">
      <AppLink href="/" scroll={false} aria-hidden="true" tabIndex={-1} className="veil fixed inset-0 cursor-default" />
      <section
        ref={section}
        onPointerDown={followPress}
        // A dialog takes the focus: who reads it with a screen reader, or moves by Tab, begins here, also without a script.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        tabIndex={-1}
        role="dialog"
        aria-modal="true"
        aria-labelledby="listing-title"
        className="popup relative w-full max-w-lg rounded-b-none p-5 outline-none pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:rounded-b-card sm:p-7"
      >
        <h2 id="listing-title" className="min-h-8 pr-12 text-title">
          {listingTitle(listing)}
        </h2>
        <ListingContent {...content} />
        <AppLink
          href="/"
          scroll={false}
          aria-label="Close"
          className="absolute top-3.5 right-3.5 grid size-11 place-items-center rounded-field text-dim hover:text-text sm:top-5.5 sm:right-5.5"
        >
          <CloseIcon />
        </AppLink>
      </section>
    </div>
  )
}

function useEscape(onClose: () => void): void {
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onClose()
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [onClose])
}

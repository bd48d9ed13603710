import { type KeyboardEvent, useRef } from 'react'

import { newSales } from '../../features/my-listings/new-sales.ts'
import { VIEW_ID } from '../../feedback/use-processing.ts'
import { useStore } from '../../ui/store.ts'

export type View = 'marketplace' | 'inventory' | 'listings'

const labels: Record<View, string> = { marketplace: 'Market', inventory: 'Inventory', listings: 'My Listings' }

/** What the badge of My Listings says to those who do not see it. */
const NEWS_ID = 'tab-news'

interface TabsProps {
  views: readonly View[]
  current: View
  onChange: (view: View) => void
}

export function tabId(view: View): string {
  return `tab-${view}`
}

/** The views of the page. Arrow keys, Home and End move between them. */
export function Tabs({ views, current, onChange }: TabsProps) {
  const sales = useStore(newSales)
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(views, current, event.key)
    if (!next) return
    event.preventDefault()
    onChange(next)
    list.current?.querySelector<HTMLElement>(`#${tabId(next)}`)?.focus()
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label="Views" className="flex">
        {views.map((view) => (
          <button
            key={view}
            type="button"
            role="tab"
            id={tabId(view)}
            aria-selected={view === current}
            aria-controls={VIEW_ID}
            aria-describedby={view === 'listings' && sales > 0 ? NEWS_ID : undefined}
            tabIndex={view === current ? 0 : -1}
            className="tab"
            onClick={() => onChange(view)}
            onKeyDown={onKeyDown}
          >
            {labels[view]}
            {view === 'listings' && sales > 0 && (
              <span className="badge" aria-hidden="true">
                {sales}
              </span>
            )}
          </button>
        ))}
      </div>
      <span id={NEWS_ID} hidden>
        {sales} sold since you last looked
      </span>
    </>
  )
}

function neighbour(views: readonly View[], current: View, key: string): View | undefined {
  const at = views.indexOf(current)
  const last = views.length - 1
  if (key === 'ArrowRight') return views[at === last ? 0 : at + 1]
  if (key === 'ArrowLeft') return views[at === 0 ? last : at - 1]
  if (key === 'Home') return views[0]
  if (key === 'End') return views[last]
  return undefined
}

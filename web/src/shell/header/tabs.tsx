import { type KeyboardEvent, useRef } from 'react'

import { tabId, type View, VIEW_ID } from '../use-view.ts'

const labels: Record<View, string> = { marketplace: 'Market', inventory: 'Inventory', listings: 'My Listings' }

/** The id of the text that says what the badge of My Listings shows. */
const NEW_SALES_ID = 'new-sales'

interface TabsProps {
  views: readonly View[]
  current: View
  /** Sales since the seller last looked at My Listings. */
  newSales: number
  onChange: (view: View) => void
}

/** The views of the app. Arrow keys, Home and End move between them. */
export function Tabs({ views, current, newSales, onChange }: TabsProps) {
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
            aria-describedby={view === 'listings' && newSales > 0 ? NEW_SALES_ID : undefined}
            tabIndex={view === current ? 0 : -1}
            className="tab"
            onClick={() => onChange(view)}
            onKeyDown={onKeyDown}
          >
            {labels[view]}
            {view === 'listings' && newSales > 0 && (
              <span className="badge" aria-hidden="true">
                {newSales}
              </span>
            )}
          </button>
        ))}
      </div>
      <span id={NEW_SALES_ID} hidden>
        {newSales} sold since you last looked
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

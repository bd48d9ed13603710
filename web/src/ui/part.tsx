import { type ReactNode, type RefObject, Suspense, useEffect, useRef } from 'react'

import { awaken, DORMANT } from './early-events.ts'

interface PartProps {
  children: ReactNode
  /** Shown until the part is there. */
  fallback?: ReactNode
  /** It has nothing but links, which work without the web app: nobody waits for it. */
  linksOnly?: boolean
}

/**
 * A part of the page that may come alive later than the rest, because its code is downloaded on its own. What people do with it before is
 * kept, and done once it is alive.
 */
export function Part({ children, fallback, linksOnly = false }: PartProps) {
  const part = useRef<HTMLDivElement>(null)
  // Only what the server has rendered is not alive at first. React leaves its attributes alone.
  const mark = typeof document === 'undefined' && !linksOnly && { [DORMANT]: '' }
  return (
    <div ref={part} className="contents" {...mark} suppressHydrationWarning>
      <Suspense fallback={fallback}>
        {children}
        <Alive part={part} />
      </Suspense>
    </div>
  )
}

function Alive({ part }: { part: RefObject<HTMLDivElement | null> }) {
  useEffect(() => {
    if (part.current) awaken(part.current)
  }, [part])
  return null
}

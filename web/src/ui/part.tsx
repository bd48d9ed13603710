import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'

import { awaken, DORMANT } from './early-events.ts'
import { useHydrated } from './in-browser.tsx'

interface PartProps {
  children: ReactNode
  /** Shown until the part is there. */
  fallback?: ReactNode
}

/**
 * A part of the page that may come alive later than the rest, because its code is downloaded on its own. What people do with it before is
 * kept, and done once it is alive. Until then it stays as it is: given something else to show, React would build it once more, without what
 * was typed in it.
 */
export function Part({ children, fallback }: PartProps) {
  const part = useRef<HTMLDivElement>(null)
  const [isAlive, setAlive] = useState(useHydrated())
  const now = (
    <Suspense fallback={fallback}>
      {children}
      <Alive part={part} onAlive={setAlive} />
    </Suspense>
  )
  const [first] = useState(now)
  // Only what the server has rendered is not alive at first. React leaves its attributes alone.
  const mark = typeof document === 'undefined' && { [DORMANT]: '' }
  return (
    <div ref={part} className="contents" {...mark} suppressHydrationWarning>
      {isAlive ? now : first}
    </div>
  )
}

function Alive({ part, onAlive }: { part: RefObject<HTMLDivElement | null>; onAlive: (alive: true) => void }) {
  useEffect(() => {
    if (part.current) awaken(part.current)
    onAlive(true)
  }, [part, onAlive])
  return null
}

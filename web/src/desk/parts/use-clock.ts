import { useEffect, useState } from 'react'

const TICK_MS = 15_000

/** @returns the time in milliseconds, as fine as "3 min" needs it */
export function useClock(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

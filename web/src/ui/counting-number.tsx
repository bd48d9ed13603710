import { useEffect, useRef, useState } from 'react'

const COUNT_MS = 650

interface CountingNumberProps {
  value: number
  format: (value: number) => string
}

/** A number that counts from its old value to its new one, so that a change is seen. Reduced motion shows the new value at once. */
export function CountingNumber({ value, format }: CountingNumberProps) {
  return <span className="figures">{format(useCounting(value))}</span>
}

function useCounting(target: number): number {
  const [shown, setShown] = useState(target)
  const from = useRef(target)
  useEffect(() => {
    const start = from.current
    from.current = target
    if (start === target) return
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      setShown(target)
      return
    }
    const begun = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const share = Math.min(1, (now - begun) / COUNT_MS)
      const eased = 1 - (1 - share) ** 3
      setShown(share === 1 ? target : start + (target - start) * eased)
      if (share < 1) frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
  }, [target])
  return shown
}

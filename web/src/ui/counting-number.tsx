import { useEffect, useRef, useState } from 'react'

const COUNT_MS = 650

interface CountingNumberProps {
  value: number
  format: (value: number) => string
}

/** A number that counts from its old value to its new one, so that a change is noticed. With reduced motion it changes at once. */
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
    const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : COUNT_MS
    const begun = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const share = duration > 0 ? Math.min(1, (now - begun) / duration) : 1
      const eased = 1 - (1 - share) ** 3
      setShown(share === 1 ? target : start + (target - start) * eased)
      if (share < 1) frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
  }, [target])
  return shown
}

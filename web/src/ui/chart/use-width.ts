import { type RefCallback, useCallback, useState } from 'react'

/** The width of an element in pixels, as it changes; 0 until it is there. */
export function useWidth(): { width: number; ref: RefCallback<Element> } {
  const [width, setWidth] = useState(0)
  const ref = useCallback((element: Element | null) => {
    if (!element) return undefined
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { width, ref }
}

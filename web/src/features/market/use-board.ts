import { useLayoutEffect, useRef, useState } from 'react'

import { type Board, boardFor } from './board.ts'

/** The board that fits the element of `ref`, and how far down the page it begins, in pixels; undefined before it is measured. */
export function useBoard() {
  const ref = useRef<HTMLUListElement>(null)
  const [measured, setMeasured] = useState<{ board: Board; top: number }>()
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const measure = () => {
      const { top, width } = element.getBoundingClientRect()
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setMeasured({ board: boardFor(width, rem), top: top + window.scrollY })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  return { ref, measured }
}

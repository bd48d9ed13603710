import { useEffect, useRef, useState } from 'react'

import { whenFirstLoadIsOver } from '../../ui/lazy-component.ts'
import { type Board, boardFor } from './board.ts'

/** A board, and how far down the page it begins, in pixels. */
export interface Measured {
  board: Board
  top: number
}

/**
 * The board that fits the element of `ref`, undefined until the first load is over, which measuring would only hold up; and whether cards glide to
 * new places, which they do once they have been painted at their first.
 */
export function useBoard() {
  const ref = useRef<HTMLUListElement>(null)
  const [measured, setMeasured] = useState<Measured>()
  useEffect(() => {
    const measure = () => {
      if (!ref.current) return
      const { top, width } = ref.current.getBoundingClientRect()
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setMeasured({ board: boardFor(width, rem), top: top + window.scrollY })
    }
    // It reports each element once when it begins to observe it.
    const observer = new ResizeObserver(measure)
    let isShown = true
    void whenFirstLoadIsOver().then(() => {
      if (!ref.current || !isShown) return
      observer.observe(ref.current)
      observer.observe(document.body)
    })
    return () => {
      isShown = false
      observer.disconnect()
    }
  }, [])
  const [glides, setGlides] = useState(false)
  const isMeasured = measured !== undefined
  useEffect(() => {
    if (!isMeasured) return undefined
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setGlides(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [isMeasured])
  return { ref, measured, glides }
}

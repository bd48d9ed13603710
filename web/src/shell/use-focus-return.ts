import { useEffect, useRef } from 'react'

import { VIEW_ID } from './views.ts'

/**
 * Returns the focus when an action ends: to the element that had it last, or to the current view if that element is gone.
 *
 * @param busy an action is under way, and the app takes neither keys nor clicks
 */
export function useFocusReturn({ busy }: { busy: boolean }): void {
  const last = useRef<HTMLElement>(undefined)
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) last.current = target
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [])

  useEffect(() => {
    if (!busy) return undefined
    return () => {
      // In the next frame, so that a dialog that closes now can place the focus first.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        last.current?.focus()
        if (document.activeElement === document.body) document.getElementById(VIEW_ID)?.focus({ preventScroll: true })
      })
    }
  }, [busy])
}

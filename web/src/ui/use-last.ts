import { useRef } from 'react'

/** The value, or while there is none the last one there was: what a dialog still shows while it fades. */
export function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value)
  if (value !== undefined) last.current = value
  return value ?? last.current
}

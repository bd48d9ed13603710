import { useEffect, useState } from 'react'

/** How long to wait after the last key or slider move before asking the server, in milliseconds. */
const TYPING_PAUSE_MS = 220

/** A value that is being typed, once it has stayed the same for a moment. */
export function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}

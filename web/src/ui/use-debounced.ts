import { useEffect, useState } from 'react'

/** How long to wait after the last key or slider move before asking the server, in milliseconds. */
const TYPING_PAUSE_MS = 220

/** A value that is being typed, once it has stayed the same for so many milliseconds. */
export function useDebounced<Value>(value: Value, milliseconds = TYPING_PAUSE_MS): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return debounced
}

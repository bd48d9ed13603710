import { useState } from 'react'

/** The value, or the last defined one, which a dialog still shows while it fades out. */
export function useRetained<Value>(value: Value | undefined): Value | undefined {
  const [retained, setRetained] = useState(value)
  if (value !== undefined && value !== retained) setRetained(value)
  return value ?? retained
}

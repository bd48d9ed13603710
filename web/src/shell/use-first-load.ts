import { useEffect, useState } from 'react'

import { prefetchWhenIdle, whenFirstLoadIsOver } from '../ui/lazy-component.ts'

/** True once the first load is over; from then on, code that may be needed next is downloaded in idle time. */
export function useFirstLoadOver(): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    void whenFirstLoadIsOver().then(() => {
      setOver(true)
      void prefetchWhenIdle()
    })
  }, [])
  return over
}

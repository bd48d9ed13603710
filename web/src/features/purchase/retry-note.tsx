import { useState } from 'react'

import { useNow } from '../../ui/use-now.ts'

/** Says that the server is too busy to hold a listing, that nothing has happened, and when the next attempt is. */
export function RetryNote({ retryAt }: { retryAt: number }) {
  return (
    <>
      Many people are buying right now. Nothing was held, and no SOL moved. <NextAttempt key={retryAt} retryAt={retryAt} />
    </>
  )
}

/** Screen readers get the wait once; they would announce a countdown every second. */
function NextAttempt({ retryAt }: { retryAt: number }) {
  const left = Math.ceil((retryAt - useNow()) / 1_000)
  const [seconds] = useState(left)
  return (
    <>
      <span className="sr-only">Trying again in {seconds} seconds.</span>
      <span aria-hidden="true" className="figures whitespace-nowrap">
        {left > 0 ? `Trying again in ${left} s.` : 'Trying again …'}
      </span>
    </>
  )
}

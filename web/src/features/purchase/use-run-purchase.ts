import { messages } from '@juicebar/contract/messages'
import { useQueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useCallback, useRef } from 'react'

import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { type Order } from './order/order.ts'
import { type RunningPurchase } from './use-purchase.ts'

interface RunPurchase {
  run: (order: Order) => void
  /** Gives up the running purchase, as long as nothing is held for it. */
  cancel: () => void
  /** Asks the wallet once more, after it took too long. */
  approveAgain: () => void
}

/** Runs one purchase at a time. The code for that is downloaded when it is needed. */
export function useRunPurchase(
  setRunning: Dispatch<SetStateAction<RunningPurchase | undefined>>,
  onOvertaken: (order: Order) => void,
): RunPurchase {
  const client = useQueryClient()
  const notices = useNotices()
  const underWay = useRef<AbortController>(undefined)
  const run = useCallback(
    (order: Order) => {
      if (underWay.current) {
        notices.showToast('Your other purchase is still under way. Wait for it or cancel it, then try again.', 'bad')
        return
      }
      const cancellation = new AbortController()
      underWay.current = cancellation
      setRunning(begun(order))
      void import('./carry-out.ts')
        .then(({ carryOut }) => carryOut(order, { client, signal: cancellation.signal, notices, setRunning, onOvertaken }))
        // The code that runs it could not be downloaded, so nothing has happened.
        .catch(() => notices.showBanner(messages.purchaseFailed))
        .then(() => {
          underWay.current = undefined
          setRunning(undefined)
          refreshMarket()
        })
    },
    [client, notices, setRunning, onOvertaken],
  )
  const cancel = useCallback(
    () => void import('./carry-out.ts').then(({ stopPurchase }) => underWay.current && stopPurchase(underWay.current)),
    [],
  )
  const approveAgain = useCallback(() => void import('./carry-out.ts').then((purchase) => purchase.approveAgain()), [])
  return { run, cancel, approveAgain }
}

function begun(order: Order): RunningPurchase {
  return { order, step: 'approve', payUntil: undefined, retryAt: undefined, again: undefined, unanswered: false, inBackground: false }
}

import { messages } from '@juicebar/contract/messages'
import { type Listing } from '@juicebar/contract/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { type Dispatch, type ReactNode, type SetStateAction, useCallback, useMemo, useRef, useState } from 'react'

import { refreshMarket } from '../../api/queries.ts'
import { sayMissing } from '../../feedback/crash-screen.tsx'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { useSession } from '../../session/session-store.ts'
import { connectChosenAnd } from '../../wallet/connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { type Order } from './order/order.ts'
import { PurchaseContext, type RunningPurchase } from './use-purchase.ts'

/** Provides this tab's purchase to everything below it: its card on the market, its dialog, its progress. */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const [confirming, setConfirming] = useState<Listing>()
  const [overtaken, setOvertaken] = useState<Order>()
  const [running, setRunning] = useState<RunningPurchase>()
  const { run, cancel, approveAgain } = useRunPurchase(setRunning, setOvertaken)
  const dismiss = useCallback(() => {
    setConfirming(undefined)
    setOvertaken(undefined)
  }, [])
  const pay = useCallback(
    (order: Order) => {
      dismiss()
      run(order)
    },
    [dismiss, run],
  )
  const begin = useBuy(setConfirming, pay)
  const keepBrowsing = useCallback(() => setRunning((current) => current && { ...current, inBackground: true }), [])
  const value = useMemo(
    () => ({ confirming, overtaken, running, ...begin, dismiss, pay, keepBrowsing, cancel, approveAgain }),
    [confirming, overtaken, running, begin, dismiss, pay, keepBrowsing, cancel, approveAgain],
  )
  return <PurchaseContext value={value}>{children}</PurchaseContext>
}

interface Buy {
  /** What pressing Buy on a card does: refuse in a toast, ask for a wallet, or ask the buyer to confirm. */
  buy: (listing: Listing) => void
  /** The same for an order that the buyer has confirmed, which is paid then. */
  place: (order: Order) => void
  /** Puts a listing, or a part of it, into the basket. Without an amount, one that is there is taken out. */
  gather: (listing: Listing, amount?: number) => void
}

/** The ways to begin a purchase. */
function useBuy(askToConfirm: (listing: Listing) => void, pay: (order: Order) => void): Buy {
  const client = useQueryClient()
  const lastPress = useRef<AbortController>(undefined)
  const check = useCallback(
    (wanted: Order | Listing, proceed: () => void) => {
      const refuseOr = (walletAddress: string) => {
        lastPress.current?.abort()
        const { signal } = (lastPress.current = new AbortController())
        const press = { wanted, walletAddress, client, signal, since: performance.now() }
        void import('./flow/refusal-to-buy.ts')
          .then(({ refuseOrProceed }) => refuseOrProceed(press, { onRefusal: (why) => showToast(why, 'bad'), proceed }))
          .catch(() => showBanner(messages.purchaseFailed))
      }
      const { user, authorization } = useSession.getState()
      const { connected } = useWallet.getState()
      if (connected && (user || authorization === 'checking')) refuseOr(user?.walletAddress ?? connected.account.address)
      // After a reload, a player is signed in, and only the wallet has to be connected. Another account has to sign in first.
      else connectChosenAnd(({ account }) => refuseOr(account.address), '_id' in wanted ? wanted._id : undefined)
    },
    [client],
  )
  return useMemo(
    () => ({
      buy: (listing) => check(listing, () => askToConfirm(listing)),
      place: (order) => check(order, () => pay(order)),
      gather: (listing, amount) =>
        void import('./order/basket.ts')
          .then(({ gatherListing }) => gatherListing(listing, amount))
          .then((refusal) => refusal && showToast(refusal, 'bad'))
          .catch(sayMissing),
    }),
    [check, askToConfirm, pay],
  )
}

interface RunPurchase {
  run: (order: Order) => void
  /** Gives up the running purchase, as long as nothing is held for it. */
  cancel: () => void
  /** Asks the wallet once more, after it took too long. */
  approveAgain: () => void
}

/** Runs one purchase at a time. The code for that is downloaded when it is needed. */
function useRunPurchase(
  setRunning: Dispatch<SetStateAction<RunningPurchase | undefined>>,
  onOvertaken: (order: Order) => void,
): RunPurchase {
  const client = useQueryClient()
  const underWay = useRef<AbortController>(undefined)
  const run = useCallback(
    (order: Order) => {
      if (underWay.current) {
        showToast('Your other purchase is still under way. Wait for it or cancel it, then try again.', 'bad')
        return
      }
      const cancellation = new AbortController()
      underWay.current = cancellation
      dismissBanner()
      setRunning(begun(order))
      void import('./carry-out.ts')
        .then(({ carryOut }) => carryOut(order, { client, signal: cancellation.signal, setRunning, onOvertaken }))
        // The code that runs it could not be downloaded, so nothing has happened.
        .catch(() => showBanner(messages.purchaseFailed))
        .then(() => {
          underWay.current = undefined
          setRunning(undefined)
          refreshMarket()
        })
    },
    [client, setRunning, onOvertaken],
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

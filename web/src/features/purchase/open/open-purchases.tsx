import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'

import { openPurchasesQuery } from '../../../api/player-queries.ts'
import { keys, refreshMarket, reload } from '../../../api/queries.ts'
import { DrinkPlate } from '../../../catalogue/drink-image.tsx'
import { showBanner } from '../../../feedback/notices.ts'
import { Button } from '../../../ui/button.tsx'
import { failureText } from '../flow/failure-text.ts'
import { dropOpenPurchase, followPurchase, tellOutcome } from '../flow/follow-purchase.ts'
import { HoldActions, HoldState } from '../hold/open-hold.tsx'
import { isPurchaseOf, orderOf, orderText, studioDecidesText, unansweredText } from '../order/order-terms.ts'
import { type Order, stepLabels, stepOf } from '../order/order.ts'
import { RetryNote } from '../purchase-state.tsx'
import { usePurchase } from '../use-purchase.ts'
import { useInterruptedPayment } from './use-interrupted-payment.ts'

/** Purchases that are not closed yet, also after a reload and in another tab. */
export function OpenPurchases({ walletAddress }: { walletAddress: string }) {
  const { purchases, loadedAt } = useOpenPurchases()
  return (
    <>
      <WaitingPurchase />
      <InterruptedPayment key={walletAddress} walletAddress={walletAddress} />
      {purchases.map((purchase) => (
        <OpenPurchase
          key={purchase.purchaseId}
          purchase={purchase}
          payUntil={purchase.payMillisLeft && loadedAt + purchase.payMillisLeft}
        />
      ))}
    </>
  )
}

function OpenPurchase({ purchase, payUntil }: { purchase: Purchase; payUntil: number }) {
  const { signature, coSigned, waitsForStudio } = purchase
  if (!signature && !coSigned && !waitsForStudio)
    return (
      <OpenPurchaseCard
        order={orderOf(purchase)}
        state={<HoldState until={payUntil} />}
        actions={<HoldActions purchase={purchase} until={payUntil} />}
      />
    )
  return (
    <OpenPurchaseCard
      order={orderOf(purchase)}
      state={
        <p role="status" className="text-small text-dim">
          {waitsForStudio ? studioDecidesText : `Payment under way: ${stepLabels[stepOf(purchase)]}`}
        </p>
      }
    />
  )
}

/** A payment that was signed before a reload, until the server has answered for it. Then it is an open purchase like any other. */
function InterruptedPayment({ walletAddress }: { walletAddress: string }) {
  const { payment } = useInterruptedPayment(walletAddress)
  if (!payment) return null
  return (
    <OpenPurchaseCard
      order={payment.order}
      state={
        <p role="status" className="text-small text-dim">
          {unansweredText}
        </p>
      }
    />
  )
}

/** This tab's purchase while the server is too busy for it, or has not answered for its payment, and the buyer keeps browsing. */
function WaitingPurchase() {
  const { running, cancel } = usePurchase()
  if (!running?.inBackground) return null
  const { order, retryAt, unanswered } = running
  if (unanswered) return <OpenPurchaseCard order={order} state={<State>{unansweredText}</State>} />
  if (retryAt === undefined) return null
  return (
    <OpenPurchaseCard
      order={order}
      state={
        <State>
          <RetryNote retryAt={retryAt} />
        </State>
      }
      actions={
        <Button small onClick={cancel}>
          Cancel purchase
        </Button>
      }
    />
  )
}

function State({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="text-small text-dim">
      {children}
    </p>
  )
}

interface OpenPurchaseCardProps {
  order: Order
  /** What it is waiting for. */
  state: ReactNode
  /** What the buyer may do about it. */
  actions?: ReactNode
}

/** A purchase that is not closed yet, among what needs attention. */
function OpenPurchaseCard({ order, state, actions }: OpenPurchaseCardProps) {
  const [first] = order.items
  return (
    <li className="card arrive flex flex-wrap items-center gap-4 p-3 pr-4">
      {first && <DrinkPlate tokenType={first.tokenType} className="h-16 w-16 flex-none rounded-field" />}
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-semibold">{orderText(order)}</p>
        {state}
      </div>
      {actions && <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">{actions}</div>}
    </li>
  )
}

/** How often to reload while a purchase is waiting, in milliseconds, because events may be lost. */
const POLL_MS = 4_000

/** The buyer's open purchases to show, and when they were loaded. Those that are paid are followed to their end. */
function useOpenPurchases(): { purchases: readonly Purchase[]; loadedAt: number } {
  const { data, dataUpdatedAt } = useQuery({
    ...openPurchasesQuery,
    refetchInterval: ({ state }) => (state.data?.length ? POLL_MS : false),
  })
  const { running } = usePurchase()
  const order = running?.order
  useResumePurchases(data, order)
  const shown = running?.inBackground ? data : data?.filter((purchase) => !order || !isPurchaseOf(order, purchase))
  return { purchases: shown ?? [], loadedAt: dataUpdatedAt }
}

/**
 * Follows payments that were made before a reload or in another tab, and shows each outcome once.
 *
 * @param open undefined until the open purchases are loaded
 * @param running the order that this tab carries out itself
 */
function useResumePurchases(open: readonly Purchase[] | undefined, running: Order | undefined): void {
  const client = useQueryClient()
  const { mutate: resume } = useMutation({
    mutationFn: ({ purchaseId, listingId, signature, coSigned }: PaidPurchase) =>
      followPurchase({ purchaseId, listingId, signature, coSigned, onChange: () => reload(keys.openPurchases) }),
    onSuccess: async (purchase) => {
      tellOutcome(purchase)
      await dropOpenPurchase(client, purchase.purchaseId)
    },
    onError: (error) => showBanner(failureText(error, { sent: true })),
    onSettled: refreshMarket,
  })
  useEffect(() => {
    if (open) takeUnfollowed(open, running).forEach((purchase) => resume(purchase))
  }, [open, running, resume])
}

/** A purchase whose payment was recorded or found. */
type PaidPurchase = Purchase & { signature: string }

/** The payments that this tab follows although it did not start them: their signatures by purchase. */
const resumed = new Map<string, string>()

/**
 * A wallet's paid open purchases that this tab does not follow yet; from now on it does. A purchase that is no longer open is forgotten,
 * and one that is paid again because its first payment failed for good is followed again.
 *
 * @param running the order that this tab carries out itself
 */
export function takeUnfollowed(open: readonly Purchase[], running: Order | undefined): PaidPurchase[] {
  for (const id of resumed.keys()) if (!open.some(({ purchaseId }) => purchaseId === id)) resumed.delete(id)
  return open.filter((purchase): purchase is PaidPurchase => {
    const { purchaseId, signature } = purchase
    if (signature === null || (running && isPurchaseOf(running, purchase)) || resumed.get(purchaseId) === signature) return false
    resumed.set(purchaseId, signature)
    return true
  })
}

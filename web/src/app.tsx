import { CHECKOUT_PATH } from '@juicebar/contract/market-settings'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode } from 'react'

import { queryClient } from './api/query-client.ts'
import { PurchaseProvider } from './features/purchase/purchase-provider.tsx'
import { shownPath } from './navigation/path.ts'
import { CrashScreen } from './feedback/crash-screen.tsx'
import { Shell } from './shell/shell.tsx'
import { Spinner } from './ui/spinner.tsx'
import { Part } from './ui/part.tsx'

/** Downloaded only where it is shown. */
const CheckoutShell = lazy(async () => ({ default: (await import('./shell/checkout-shell.tsx')).CheckoutShell }))

/** Whether the page is that of a checkout, which is shown without the market around it. */
export function isCheckout(): boolean {
  return shownPath().startsWith(CHECKOUT_PATH)
}

/** The market for players, or the page of a checkout, with what all of their parts share. */
export function Page() {
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <PurchaseProvider>{isCheckout() ? <Checkout /> : <Shell />}</PurchaseProvider>
      </QueryClientProvider>
    </StrictMode>
  )
}

function Checkout() {
  return (
    <CrashScreen>
      <Part fallback={<Spinner className="mx-auto my-40 size-8" />}>
        <CheckoutShell />
      </Part>
    </CrashScreen>
  )
}

import { QueryClientProvider } from '@tanstack/react-query'

import { queryClient } from './api/query-client.ts'
import { PurchaseProvider } from './features/purchase/purchase-provider.tsx'
import { NoticesProvider } from './feedback/notices-provider.tsx'
import { Shell } from './shell/shell.tsx'

/** The market for players, with what all of its parts share. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <NoticesProvider>
        <PurchaseProvider>
          <Shell />
        </PurchaseProvider>
      </NoticesProvider>
    </QueryClientProvider>
  )
}

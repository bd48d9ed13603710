import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation } from '@tanstack/react-query'

import { call } from '../../api/client.ts'
import { type PurchaseRole } from '../../api/queries.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { formatAmount } from '../../ui/format.ts'
import { toCsv } from './csv.ts'
import { saveCsv } from './save-csv.ts'

/** A file has at most this many purchases, newest first. */
const MAX_PURCHASES = 10_000
const PAGE_SIZE = 200

/** Saves everything that a wallet bought or sold as a CSV file; a failure goes to the banner. */
export function useDownloadCsv(walletAddress: string) {
  const { showBanner, showToast } = useNotices()
  return useMutation({
    meta: { processing: 'Collecting your history' },
    mutationFn: loadAll,
    onSuccess: (purchases, role) => {
      const file = toCsv(purchases, role === 'seller' ? walletAddress : undefined)
      saveCsv(`juicebar-${role === 'buyer' ? 'purchases' : 'sales'}.csv`, [file])
      if (purchases.length >= MAX_PURCHASES) showToast(`The file holds the newest ${formatAmount(MAX_PURCHASES)} purchases.`)
    },
    onError: () => showBanner(messages.loadFailed),
  })
}

async function loadAll(role: PurchaseRole): Promise<Purchase[]> {
  const purchases: Purchase[] = []
  let cursor: string | null = ''
  while (cursor !== null && purchases.length < MAX_PURCHASES) {
    const query: { role: PurchaseRole; limit: number; cursor: string } = { role, limit: PAGE_SIZE, cursor }
    const page = await call('myPurchases', { query })
    purchases.push(...page.purchases)
    cursor = page.nextCursor
  }
  return purchases
}

import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'

import { call } from '../../api/client.ts'
import { type PurchaseRole } from '../../api/queries.ts'
import { showBanner, showToast } from '../../feedback/notices.ts'
import { whileProcessing } from '../../feedback/use-processing.ts'
import { toCsv } from './csv.ts'

/** A file holds at most this many rows; the newest come first. */
const MOST_ROWS = 10_000
const PAGE = 200

/** Saves everything a wallet bought or sold as a CSV file; a failure goes to the banner. */
export async function downloadCsv(role: PurchaseRole): Promise<void> {
  try {
    const purchases = await whileProcessing('Collecting your history', () => readAll(role))
    save(`juicebar-${role === 'buyer' ? 'purchases' : 'sales'}.csv`, toCsv(purchases))
    if (purchases.length >= MOST_ROWS) showToast(`The file holds the newest ${MOST_ROWS} rows.`)
  } catch {
    showBanner(messages.loadFailed)
  }
}

async function readAll(role: PurchaseRole): Promise<Purchase[]> {
  const purchases: Purchase[] = []
  let cursor: string | null = ''
  while (cursor !== null && purchases.length < MOST_ROWS) {
    const query: { role: PurchaseRole; limit: number; cursor: string } = { role, limit: PAGE, cursor }
    const page = await call('myPurchases', { query })
    purchases.push(...page.purchases)
    cursor = page.nextCursor
  }
  return purchases
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

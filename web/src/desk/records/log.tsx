import { type Reply } from '@juicebar/contract/calls'
import { useInfiniteQuery } from '@tanstack/react-query'

import { catalogue, inMarketWords } from '../../catalogue/catalogue.ts'
import { formatAmount } from '../../ui/format.ts'
import { logQuery } from '../desk-queries.ts'
import { readSearch } from '../find/search-field.tsx'
import { FindLink, Moment, WalletLink, Who } from '../parts/names.tsx'
import { type Column, Pages, Table } from '../parts/rows.tsx'
import { Part } from '../parts/section.tsx'

type Entry = Reply<'studioLog'>['log'][number]

const columns: readonly Column<Entry>[] = [
  { name: 'When', cell: ({ time }) => <Moment at={time} /> },
  { name: 'Who', cell: ({ key }) => <Who name={key} /> },
  { name: 'Action', cell: (entry) => <span className="whitespace-nowrap">{whatWasDone(entry)}</span> },
  { name: 'Target', cell: ({ subject }) => <Subject subject={subject} /> },
  {
    name: 'Reason',
    cell: ({ reason }) => (
      <span className="inline-block min-w-48 wrap-anywhere">{reason ?? <span className="text-dim">no reason was given</span>}</span>
    ),
  },
]

/** Log, to what, and why. */
export function Log() {
  const query = useInfiniteQuery(logQuery)
  return (
    <Part title="Log" about="Every change made with a key or at this desk, newest first. Entries never change.">
      <Pages query={query} what="The log" nothing="No changes yet.">
        {(entries) => <Table caption="The log" columns={columns} rows={entries} keyOf={({ id }) => id} />}
      </Pages>
    </Part>
  )
}

/** Of a credit or debit with how much of what: "Credited 50 Apple Juice". */
function whatWasDone({ call, order }: Entry): string {
  if (!order) return inMarketWords(callWords[call] ?? call)
  const done = order.direction === 'credit' ? 'Credited' : 'Debited'
  return `${done} ${formatAmount(order.amount)} ${catalogue().nameOf(order.tokenType)}`
}

function Subject({ subject }: { subject: string }) {
  const found = readSearch(subject)
  if (found?.kind === 'wallet') return <WalletLink address={found.walletAddress} />
  if (found?.kind === 'purchase') return <FindLink id={found.purchaseId} />
  return <span className="inline-block min-w-24 wrap-anywhere">{subject}</span>
}

/** The effect of the log's calls, in a few words. A call that is not here is shown by its name. */
const callWords: Partial<Record<string, string>> = {
  studioCredit: 'Credited drinks',
  studioDebit: 'Debited drinks',
  studioOrders: 'Posted orders',
  createStudioKey: 'Created a key',
  revokeStudioKey: 'Revoked a key',
  setStaff: 'Add staff',
  removeStaff: 'Removed staff',
  closeCase: 'Closed a case',
  releasePurchase: 'Released a hold',
  expireCheckout: 'Expired a checkout',
  startAudit: 'Started an audit',
  startRecovery: 'Started a recovery',
  acceptRecovery: 'Accepted a recovery',
  createWebhook: 'Created a webhook',
  changeWebhook: 'Switched a webhook',
  deleteWebhook: 'Deleted a webhook',
  rotateWebhook: 'Rotated a webhook’s secret',
  replayWebhook: 'Resent messages',
  pauseMarket: 'Paused the market',
  resumeMarket: 'Reopened the market',
  blockWallet: 'Blocked a player',
  unblockWallet: 'Unblocked a player',
  setRules: 'Save rules',
}

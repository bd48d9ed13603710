import { type Case, type CaseStatus, type WebhookEvent } from '@juicebar/contract/schemas'

import { reversalOf, saleReply, type SaleRow } from '../../sales/sale.ts'

/** An event, as its transaction recorded it. */
export type NotedEvent = { id: bigint; createdAt: Date } & (
  | { type: 'sale.settled' | 'sale.reversed'; purchaseId: string }
  | { type: 'listing.created' | 'listing.removed'; listing: object }
  | { type: 'case.opened' | 'case.closed'; state: NotedCaseState }
)

/** The parts of a case that may have changed since. */
export interface NotedCaseState {
  id: string
  status: CaseStatus
  deliverable: boolean
  note: string | null
  closedAt: Date | null
}

/** Data in messages beyond the recorded events. */
export interface Subjects {
  /** By their purchases. */
  sales: ReadonlyMap<string, readonly SaleRow[]>
  /** By the events that are about them. */
  cases: ReadonlyMap<NotedEvent, Case>
}

export interface NewMessage {
  type: WebhookEvent
  /** The exact bytes to send. */
  body: string
}

/** The messages for an event: one, or one for each item of a sale. */
export function messagesOf(event: NotedEvent, subjects: Subjects): NewMessage[] {
  const { type, createdAt } = event
  return dataOf(event, subjects).map((data) => ({ type, body: JSON.stringify({ type, timestamp: createdAt.toISOString(), data }) }))
}

function dataOf(event: NotedEvent, { sales, cases }: Subjects): object[] {
  switch (event.type) {
    case 'sale.settled':
    case 'sale.reversed': {
      const sold = sales.get(event.purchaseId) ?? []
      return sold.map((sale) => saleReply(event.type === 'sale.reversed' ? reversalOf(sale, event.createdAt) : sale))
    }
    case 'listing.created':
    case 'listing.removed':
      return [event.listing]
    case 'case.opened':
    case 'case.closed': {
      const told = cases.get(event)
      return told ? [told] : []
    }
  }
}

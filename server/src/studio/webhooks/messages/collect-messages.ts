import { type Case } from '@juicebar/contract/schemas'

import { inTransaction, type Tx } from '../../../database/transact.ts'
import { findCasesInState } from '../../../purchases/cases/case-reply-store.ts'
import { type PurchaseDeps } from '../../../purchases/purchase-deps.ts'
import { findSalesOf } from '../../sales/sale-store.ts'
import { messagesOf, type NotedEvent } from './message.ts'
import { claimOrder, hasNotedEvents, insertMessages, takeNotedEvents } from './message-store.ts'

export type CollectDeps = Pick<PurchaseDeps, 'database' | 'catalogue'>

/** Events of one short transaction. */
const BATCH = 500

/**
 * Turns events recorded for webhooks into messages, and gives them their order. One server does this at a time.
 * @returns how many events it took
 */
export async function collectMessages({ database, catalogue }: CollectDeps, batch = BATCH): Promise<number> {
  if (!(await hasNotedEvents(database))) return 0
  return inTransaction(database, async (tx) => {
    if (!(await claimOrder(tx))) return 0
    const events = await takeNotedEvents(tx, batch)
    const purchaseIds = events.flatMap((event) => ('purchaseId' in event ? [event.purchaseId] : []))
    const subjects = { sales: await findSalesOf(tx, purchaseIds), cases: await casesOf(tx, catalogue, events) }
    const messages = events.flatMap((event) => messagesOf(event, subjects))
    if (messages.length > 0) await insertMessages(tx, messages)
    return events.length
  })
}

/** The cases that events are about, as they were. */
async function casesOf(tx: Tx, catalogue: CollectDeps['catalogue'], events: readonly NotedEvent[]): Promise<Map<NotedEvent, Case>> {
  const about = events.flatMap((event) => ('state' in event ? [{ event, state: event.state }] : []))
  const states = about.map(({ state }) => state)
  const cases = await findCasesInState(tx, catalogue, states)
  return new Map(
    about.flatMap(({ event }, index) => {
      const told = cases[index]
      return told ? [[event, told]] : []
    }),
  )
}

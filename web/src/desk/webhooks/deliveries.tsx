import { type Reply } from '@juicebar/contract/calls'
import { useInfiniteQuery } from '@tanstack/react-query'

import { formatAmount } from '../../ui/format.ts'
import { deliveriesQuery } from '../api/desk-queries.ts'
import { Moment } from '../parts/names.tsx'
import { Pages } from '../parts/pages.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Part, Status } from '../parts/section.tsx'
import { ReplayWebhook } from './webhook-actions.tsx'

type Delivery = Reply<'webhookDeliveries'>['deliveries'][number]

/** What was sent to a webhook, and what it answered. */
export function Deliveries({ id }: { id: string }) {
  const query = useInfiniteQuery(deliveriesQuery(id))
  return (
    <Part title="Deliveries" about="Every attempt, newest first.">
      <Pages query={query} what="The deliveries" nothing="Nothing sent yet.">
        {(deliveries) => <Table caption="Deliveries" columns={deliveryColumns(id)} rows={deliveries} keyOf={(delivery) => delivery.id} />}
      </Pages>
    </Part>
  )
}

function deliveryColumns(webhookId: string): readonly Column<Delivery>[] {
  return [
    { name: 'Sent', cell: ({ sentAt }) => <Moment at={sentAt} /> },
    { name: 'Event', cell: ({ type, messageId }) => <span title={messageId}>{type}</span> },
    { name: 'Attempt', figures: true, cell: ({ attempt }) => attempt },
    { name: 'Reply', cell: (delivery) => <Answer delivery={delivery} /> },
    { name: 'ms', figures: true, cell: ({ latencyMillis }) => formatAmount(latencyMillis) },
    { name: 'Resend', figures: true, cell: ({ messageId }) => <ReplayWebhook id={webhookId} after={messageId} /> },
  ]
}

function Answer({ delivery: { delivered, status, error, answer } }: { delivery: Delivery }) {
  return (
    <span className="grid gap-0.5">
      <Status tone={delivered ? 'good' : 'warn'}>{status ?? 'No answer'}</Status>
      {(error ?? answer) && <span className="line-clamp-2 text-tiny text-dim wrap-anywhere">{error ?? answer}</span>}
    </span>
  )
}

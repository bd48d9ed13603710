import { type AuditSummary } from '@juicebar/contract/schemas'

import { formatAmount } from '../../ui/format.ts'
import { placeLink } from '../frame/places.ts'
import { Moment, Who } from '../parts/names.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Status } from '../parts/section.tsx'
import { auditVerdict } from './audit-words.ts'

interface AuditListProps {
  audits: readonly AuditSummary[]
  /** The one whose findings are on the screen. */
  shown: string | undefined
}

/** Audits, each a link to what it found. */
export function AuditList({ audits, shown }: AuditListProps) {
  const rows = audits.map((audit) => ({ ...audit, isShown: audit.id === shown }))
  return <Table caption="Latest audits" columns={columns} rows={rows} keyOf={({ id }) => id} />
}

const columns: readonly Column<AuditSummary & { isShown: boolean }>[] = [
  {
    name: 'Started',
    cell: ({ id, startedAt, isShown }) => (
      <a href={placeLink('audit', id)} className="link" aria-current={isShown ? 'true' : undefined}>
        <Moment at={startedAt} />
      </a>
    ),
  },
  { name: 'By', cell: ({ startedBy }) => (startedBy ? <Who name={startedBy} /> : <span className="text-dim">not known</span>) },
  { name: 'Found', cell: (audit) => <Verdict audit={audit} /> },
  { name: 'What', cell: ({ full }) => <span className="whitespace-nowrap">{full ? 'Every payment' : 'Since the one before'}</span> },
  { name: 'Payments checked', figures: true, cell: ({ progress: { checked } }) => formatAmount(checked) },
]

function Verdict({ audit }: { audit: AuditSummary }) {
  const { word, tone } = auditVerdict(audit)
  return <Status tone={tone}>{word}</Status>
}

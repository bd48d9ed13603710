import { type Audit, type AuditSummary } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { catalogue, inMarketWords } from '../../catalogue/catalogue.ts'
import { formatAmount } from '../../ui/format.ts'
import { auditQuery, auditsQuery, callStudio } from '../desk-queries.ts'
import { placeLink } from '../frame/places.ts'
import { Act } from '../parts/act.tsx'
import { Tick } from '../parts/fields.tsx'
import { Moment, Who } from '../parts/names.tsx'
import { type Column, Pages, Table } from '../parts/rows.tsx'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { exactSol, Shown } from '../parts/shown.tsx'

/** Checks that every drink and every payment adds up. */
export function AuditPlace({ id }: { id: string }) {
  const audits = useInfiniteQuery(auditsQuery)
  const shown = id || audits.data?.pages[0]?.items[0]?.id
  return (
    <div className="grid gap-5">
      <Part
        title="The audit"
        about={inMarketWords(
          'Adds up every drink, and reads the payments from the chain again. Players notice nothing: it uses only what trading leaves of the chain budget.',
        )}
        actions={<StartAudit />}
      />
      {shown && <AuditResult key={shown} id={shown} />}
      <Part title="Latest audits" about="Newest first, whoever started them.">
        <Pages query={audits} what="The audits" nothing="Nobody has started an audit yet.">
          {(items) => <AuditList audits={items} shown={shown} />}
        </Pages>
      </Part>
    </div>
  )
}

function StartAudit() {
  const [full, setFull] = useState(false)
  return (
    <Act
      label="Start an audit"
      kind="primary"
      title="Start an audit"
      onBegin={() => setFull(false)}
      consequence={
        full
          ? 'Every payment there ever was is read from the chain again. On a large market that takes hours. If an audit is under way, it becomes this one.'
          : inMarketWords('Everything since the last audit is checked, and all drinks. If an audit is under way, you see that one.')
      }
      doIt="Start"
      done="The audit is under way."
      act={(reason) => callStudio('startAudit', { body: { full, reason } })}
      onDone={({ audit }) => {
        location.assign(placeLink('audit', audit.id))
      }}
    >
      <Tick label="Check every payment again" checked={full} onChange={setFull} />
    </Act>
  )
}

function AuditResult({ id }: { id: string }) {
  const query = useQuery(auditQuery(id))
  return (
    <Shown query={query} what="The audit">
      {(audit) => <Report audit={audit} />}
    </Shown>
  )
}

function Report({ audit }: { audit: Audit }) {
  const {
    status,
    progress,
    startedAt,
    startedBy,
    finishedAt,
    purchases,
    revenue,
    violations,
    violationCount,
    unchecked,
    uncheckedCount,
    tokens,
  } = audit
  const { word, tone } = auditVerdict(audit)
  const share = progress.total > 0 ? progress.checked / progress.total : 0
  return (
    <Part title={word} about={<Status tone={tone}>{status === 'running' ? 'Running' : 'Done'}</Status>}>
      {status === 'running' && (
        <div className="grid gap-2">
          <progress className="progress" aria-label="Payments checked" max={1} value={share} />
          <p className="figures text-small text-dim">
            {formatAmount(progress.checked)} of {formatAmount(progress.total)} payments checked
          </p>
        </div>
      )}
      <Facts>
        <Fact name="Started">
          <Moment at={startedAt} />
          {startedBy && (
            <>
              {' '}
              by <Who name={startedBy} />
            </>
          )}
        </Fact>
        <Fact name="Ended">{finishedAt ? <Moment at={finishedAt} /> : 'not yet'}</Fact>
        <Fact name="Revenue">{revenue ? `${exactSol(BigInt(revenue.lamports))} SOL` : 'not yet known'}</Fact>
        <Fact name="Verified on the chain">{purchases ? formatAmount(purchases.verifiedOnChain) : 'not yet known'}</Fact>
        <Fact name="Delivered purchases">{purchases ? formatAmount(purchases.settled) : 'not yet known'}</Fact>
        <Fact name="Open cases">{purchases ? formatAmount(purchases.openCases) : 'not yet known'}</Fact>
      </Facts>
      <Findings title="Discrepancies" count={violationCount} texts={violations.map(({ invariant, detail }) => `${invariant}: ${detail}`)} />
      <Findings title="Not checked" count={uncheckedCount} texts={unchecked} />
      {tokens.length > 0 && <Table short caption="Drinks" columns={tokenColumns} rows={tokens} keyOf={({ tokenType }) => tokenType} />}
    </Part>
  )
}

function Findings({ title, count, texts }: { title: string; count: number; texts: readonly string[] }) {
  if (count === 0) return null
  return (
    <div className="rounded-field bg-warn/12 px-4 py-3 text-small">
      <p className="font-semibold">
        {title}: {formatAmount(count)}
        {count > texts.length && `, of which the first ${formatAmount(texts.length)}`}
      </p>
      <ul className="mt-2 grid list-disc gap-1 pl-5">
        {texts.map((text, index) => (
          <li key={index} className="wrap-anywhere">
            {text}
          </li>
        ))}
      </ul>
    </div>
  )
}

type TokenSum = Audit['tokens'][number]

const tokenColumns: readonly Column<TokenSum>[] = [
  { name: 'Drink', cell: ({ tokenType }) => catalogue().nameOf(tokenType) },
  { name: 'Credited', figures: true, cell: ({ credited }) => formatAmount(credited) },
  { name: 'Debited', figures: true, cell: ({ debited }) => formatAmount(debited) },
  { name: 'In wallets', figures: true, cell: ({ inWallets }) => formatAmount(inWallets) },
  { name: 'For sale', figures: true, cell: ({ inListings }) => formatAmount(inListings) },
  { name: 'Sum', cell: ({ balanced }) => <Status tone={balanced ? 'good' : 'warn'}>{balanced ? 'Adds up' : 'Does not add up'}</Status> },
]

interface AuditListProps {
  audits: readonly AuditSummary[]
  /** The one whose findings are on the screen. */
  shown: string | undefined
}

/** Audits, each a link to what it found. */
function AuditList({ audits, shown }: AuditListProps) {
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

type Found = Pick<Audit, 'status' | 'ok' | 'violationCount' | 'uncheckedCount'>

/** An audit's findings, in a sentence. Unchecked payments are never called clean. */
export function auditVerdict({ status, ok, violationCount, uncheckedCount }: Found): { word: string; tone: 'good' | 'warn' | 'plain' } {
  if (ok === false || violationCount > 0) return { word: 'Something does not add up', tone: 'warn' }
  if (status === 'running') return { word: 'The audit is under way', tone: 'plain' }
  if (uncheckedCount > 0) return { word: 'Not everything could be checked', tone: 'warn' }
  return { word: 'Everything adds up', tone: 'good' }
}

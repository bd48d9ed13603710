import { type Case, type CaseKind, type CaseStatus } from '@juicebar/contract/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { inMarketWords } from '../catalogue/catalogue.ts'
import { formatAmount } from '../ui/format.ts'
import { callStudio, type CaseFilter, casesQuery, useMay } from './desk-queries.ts'
import { Act } from './parts/act.tsx'
import { Choice } from './parts/fields.tsx'
import { FindLink, Moment, WalletLink } from './parts/names.tsx'
import { Pages } from './parts/rows.tsx'
import { Fact, Facts, Status } from './parts/section.tsx'
import { exactSol } from './parts/shown.tsx'

type Filter = NonNullable<CaseFilter['status']>

const filters: readonly { value: Filter; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'refunding', label: 'Being refunded' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'refunded', label: 'Refunded' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
]

/** Payments that did not end in a delivery. */
export function Cases() {
  const [status, setStatus] = useState<Filter>('open')
  const query = useInfiniteQuery(casesQuery({ status }))
  return (
    <div className="grid gap-5">
      <Choice legend="Show cases that are" name="status" options={filters} chosen={status} onChoose={setStatus} />
      <Pages
        query={query}
        what="The cases"
        nothing={status === 'open' ? 'No case is open: every payment ended in a delivery.' : 'There is no such case.'}
      >
        {(cases) => (
          <>
            <p className="figures text-small text-dim">{casesTotal(cases, query.hasNextPage)}</p>
            <CaseList cases={cases} />
          </>
        )}
      </Pages>
    </div>
  )
}

/** Cases, one below the other. */
export function CaseList({ cases }: { cases: readonly Case[] }) {
  return (
    <ul className="grid gap-3">
      {cases.map((subject) => (
        <CaseRow key={subject.caseId} subject={subject} />
      ))}
    </ul>
  )
}

function CaseRow({ subject }: { subject: Case }) {
  const { kind, status, explanation, purchaseId, buyer, seller, amount, tokenName, fee, signature, openedAt, closedAt, note } = subject
  const mayClose = useMay('cases')
  return (
    <li className="grid gap-4 rounded-field border border-line bg-card p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-x-3">
            <b className="font-semibold">{kindWords[kind]}</b>
            <Status tone={isWaiting(subject) ? 'warn' : 'plain'}>{statusWords[status]}</Status>
          </p>
          <p className="mt-1 text-small text-dim wrap-anywhere">{explanation}</p>
        </div>
        {mayClose && status === 'open' && <CloseCase subject={subject} />}
      </div>
      <Facts>
        <Fact name="For">{amount === null ? 'nobody knows what' : `${formatAmount(amount)} ${tokenName}`}</Fact>
        <Fact name="Agreed">{subject.agreedLamports === null ? 'unknown' : `${exactSol(BigInt(subject.agreedLamports))} SOL`}</Fact>
        <Fact name="Received">
          {exactSol(BigInt(subject.lamports))} SOL <Difference subject={subject} />
        </Fact>
        <Fact name="Buyer">
          <WalletLink address={buyer} />
        </Fact>
        <Fact name="Seller">{seller ? <WalletLink address={seller} /> : 'none: only the fee was paid'}</Fact>
        <Fact name="Fee that you owe">{fee ? `${exactSol(BigInt(fee.lamports))} SOL` : 'none'}</Fact>
        <Fact name="Opened">
          <Moment at={openedAt} />
        </Fact>
        <Fact name="Purchase">{purchaseId ? <FindLink id={purchaseId} /> : 'lost'}</Fact>
        <Fact name="Transaction">
          <FindLink id={signature} />
        </Fact>
        <Refund subject={subject} />
      </Facts>
      {closedAt && note && (
        <p className="rounded-field bg-well px-4 py-3 text-small wrap-anywhere">
          Closed <Moment at={closedAt} />: {note}
        </p>
      )}
    </li>
  )
}

/** What went back to the buyer, if anything did or is under way. */
function Refund({ subject: { status, refundSignature, closedAt } }: { subject: Case }) {
  if (refundSignature === null) return null
  if (status !== 'refunded' || closedAt === null) {
    return (
      <Fact name="Refund sent">
        <FindLink id={refundSignature} />
      </Fact>
    )
  }
  return (
    <Fact name="Paid back">
      <Moment at={closedAt} /> by <FindLink id={refundSignature} />
    </Fact>
  )
}

function Difference({ subject }: { subject: Case }) {
  const over = difference(subject)
  if (over === undefined || over === 0n) return null
  return <span className="text-tiny text-warn">{over > 0n ? `${exactSol(over)} too much` : `${exactSol(-over)} too little`}</span>
}

/** Closes a case by hand. */
function CloseCase({ subject: { caseId, refundable, kind } }: { subject: Pick<Case, 'caseId' | 'refundable' | 'kind'> }) {
  return (
    <Act
      label="Close"
      title="Close this case"
      consequence={
        <>
          {inMarketWords('Closing moves neither SOL nor drinks: it says that you have settled this elsewhere.')}
          {refundable && ' The seller can then no longer refund it with one click.'}
          {kind === 'lost' && ' The seller’s listings can be bought and removed again.'}
        </>
      }
      reason={{ label: 'What was done', hint: 'Shown to buyer and seller, and in the log.' }}
      doIt="Close the case"
      done="The case is closed."
      act={(reason) => callStudio('closeCase', { body: { caseId, note: reason } })}
    />
  )
}

/** The problem with a payment, in a few words. */
export const kindWords: Record<CaseKind, string> = {
  late: 'Paid too late',
  wrong: 'Wrong amount or shape',
  double: 'Paid twice',
  vanished: 'Undone by the chain',
  lost: 'Lost by a restore',
}

const statusWords: Record<CaseStatus, string> = {
  open: 'Open',
  refunding: 'Being refunded',
  delivered: 'Delivered',
  refunded: 'Refunded',
  closed: 'Closed by the studio',
}

/** Whether a case needs action. */
function isWaiting({ status }: Pick<Case, 'status'>): boolean {
  return status === 'open' || status === 'refunding'
}

/** How what the seller received compares with what was agreed, in lamports: 0n if they are the same; undefined if unknown. */
export function difference({ lamports, agreedLamports }: Pick<Case, 'lamports' | 'agreedLamports'>): bigint | undefined {
  return agreedLamports === null ? undefined : BigInt(lamports) - BigInt(agreedLamports)
}

/** How many cases are listed and how much SOL they are about; `hasMore` if others of the same status are not listed yet. */
export function casesTotal(cases: readonly Pick<Case, 'lamports' | 'status'>[], hasMore: boolean): string {
  const sol = exactSol(cases.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n))
  const count = cases.length === 1 ? '1 case' : `${cases.length} cases`
  const paidBack = cases.every(({ status }) => status === 'refunded')
  return `${hasMore ? 'The latest ' : ''}${count}: ${sol} SOL ${paidBack ? 'paid back' : 'received by sellers'}`
}

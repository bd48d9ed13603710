import { type Case } from '@juicebar/contract/schemas'

import { formatAmount } from '../../ui/format.ts'
import { useMay } from '../api/use-may.ts'
import { FindLink, Moment, WalletLink } from '../parts/names.tsx'
import { Fact, Facts, Status } from '../parts/section.tsx'
import { exactSol } from '../parts/sol.ts'
import { difference, isWaiting, kindWords, statusWords } from './case-words.ts'
import { CloseCase } from './close-case.tsx'

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

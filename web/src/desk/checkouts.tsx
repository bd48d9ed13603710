import { type ErrorCode } from '@juicebar/contract/errors'
import { type Checkout, type CheckoutAttempt, type CheckoutStatus, type EndReason } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import { catalogue } from '../catalogue/catalogue.ts'
import { Button } from '../ui/button.tsx'
import { formatAmount } from '../ui/format.ts'
import { callStudio, checkoutQuery, checkoutsQuery, useMay } from './desk-queries.ts'
import { endWords } from './find/purchase-card.tsx'
import { placeLink } from './frame/places.ts'
import { Act } from './parts/act.tsx'
import { Choice, TextField } from './parts/fields.tsx'
import { Copyable, FindLink, Moment, WalletLink } from './parts/names.tsx'
import { type Column, Pages, Table } from './parts/rows.tsx'
import { Fact, Facts, Part, Status } from './parts/section.tsx'
import { exactSol, Nothing, Shown } from './parts/shown.tsx'

type Filter = CheckoutStatus | 'all'

const filters: readonly { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'open', label: 'Open' },
  { value: 'paying', label: 'Being paid' },
  { value: 'completed', label: 'Completed' },
  { value: 'expired', label: 'Expired' },
]

/** What games have asked players to pay for; or one of these, with every attempt to pay it. */
export function Checkouts({ id }: { id: string }) {
  return id === '' ? <CheckoutList /> : <CheckoutView key={id} id={id} />
}

function CheckoutList() {
  const [status, setStatus] = useState<Filter>('all')
  const [reference, setReference] = useState('')
  const filter = { ...(status !== 'all' && { status }), ...(reference && { clientReference: reference }) }
  const query = useInfiniteQuery(checkoutsQuery(filter))
  return (
    <div className="grid gap-5">
      <ReferenceField onFind={setReference} />
      <Choice legend="Show checkouts that are" name="status" options={filters} chosen={status} onChoose={setStatus} />
      <Part title="Checkouts" about="What your game has asked players to pay for, newest first.">
        <Pages
          query={query}
          what="The checkouts"
          nothing={reference || status !== 'all' ? 'There is no such checkout.' : 'Your game has not made a checkout yet.'}
        >
          {(checkouts) => <Table caption="Checkouts" columns={columns} rows={checkouts} keyOf={({ id }) => id} />}
        </Pages>
      </Part>
    </div>
  )
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds checkouts by what the game calls them, or one by its id. */
function ReferenceField({ onFind }: { onFind: (reference: string) => void }) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = text.trim()
    if (uuid.test(wanted)) location.assign(placeLink('checkouts', wanted.toLowerCase()))
    else onFind(wanted)
  }
  return (
    <form role="search" aria-label="Checkouts" className="flex max-w-xl items-end gap-2 *:first:flex-1" onSubmit={submit}>
      <TextField label="Reference or id" value={text} onChange={setText} />
      <Button type="submit" className="min-h-11.5">
        Find
      </Button>
    </form>
  )
}

const columns: readonly Column<Checkout>[] = [
  {
    name: 'Created',
    cell: ({ id, createdAt }) => (
      <a href={placeLink('checkouts', id)} className="link">
        <Moment at={createdAt} />
      </a>
    ),
  },
  {
    name: 'Reference',
    cell: ({ clientReference }) => (
      <span className="inline-block min-w-24 wrap-anywhere">{clientReference ?? <span className="text-dim">none</span>}</span>
    ),
  },
  {
    name: 'What',
    cell: ({ amount, tokenType }) => (
      <span className="whitespace-nowrap">{`${formatAmount(amount)} ${catalogue().nameOf(tokenType)}`}</span>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Status tone={checkoutStates[status].tone}>{checkoutStates[status].word}</Status> },
  { name: 'Player', cell: ({ buyer }) => (buyer === null ? <span className="text-dim">nobody</span> : <WalletLink address={buyer} />) },
  { name: 'SOL', figures: true, cell: ({ lamports }) => (lamports === null ? '' : exactSol(BigInt(lamports))) },
]

/** A checkout: what it is for, whether it is paid, and every attempt to pay it. */
function CheckoutView({ id }: { id: string }) {
  const query = useQuery(checkoutQuery(id))
  return (
    <div className="grid gap-5">
      <p>
        <a href={placeLink('checkouts')} className="link text-small">
          All checkouts
        </a>
      </p>
      <Shown query={query} what="The checkout">
        {({ checkout, tries }) => (
          <>
            <CheckoutCard checkout={checkout} why={whyNotCompleted(checkout, tries)} openedAt={tries.openedAt} />
            <Part title="Attempts to pay" about="Newest first. Refused payments are kept for a week.">
              {tries.attempts.length > 0 ? (
                <Table
                  caption="Attempts to pay"
                  columns={attemptColumns}
                  rows={tries.attempts}
                  keyOf={({ at, wallet }) => `${at} ${wallet}`}
                />
              ) : (
                <Nothing>Nobody has tried to pay it.</Nothing>
              )}
            </Part>
          </>
        )}
      </Shown>
    </div>
  )
}

interface CheckoutCardProps {
  checkout: Checkout
  /** Why it is not completed. */
  why: string | undefined
  openedAt: string | null
}

function CheckoutCard({ checkout, why, openedAt }: CheckoutCardProps) {
  const { id, status, amount, tokenType, clientReference, maxLamports, lamports, wallet, buyer, purchaseId } = checkout
  const { word, tone } = checkoutStates[status]
  const mayEnd = useMay('checkout') && status === 'open'
  return (
    <Part
      title={`${formatAmount(amount)} ${catalogue().nameOf(tokenType)}`}
      about={<Status tone={tone}>{word}</Status>}
      actions={mayEnd && <EndCheckout id={id} />}
    >
      {why && <p className="rounded-field bg-well px-4 py-3 text-small font-semibold">{why}</p>}
      <Facts>
        <Fact name="Reference">{clientReference ?? 'none'}</Fact>
        <Fact name="Purchase">{purchaseId === null ? 'none' : <FindLink id={purchaseId} />}</Fact>
        <Fact name="Player">{buyer === null ? 'nobody' : <WalletLink address={buyer} />}</Fact>
        <Fact name="Total paid">{lamports === null ? 'nothing' : `${exactSol(BigInt(lamports))} SOL`}</Fact>
        <Fact name="May cost">{maxLamports === null ? 'anything' : `${exactSol(BigInt(maxLamports))} SOL at most`}</Fact>
        <Fact name="May be paid by">{wallet === null ? 'any wallet' : <WalletLink address={wallet} />}</Fact>
        <Fact name="Created">
          <Moment at={checkout.createdAt} />
        </Fact>
        <Fact name="Opened">{openedAt === null ? 'never' : <Moment at={openedAt} />}</Fact>
        <Fact name={status === 'expired' ? 'Expired' : 'Expires'}>
          <Moment at={checkout.expiresAt} />
        </Fact>
        <Fact name="Returns to">{checkout.returnUrl}</Fact>
        <Fact name="Id">
          <Copyable label="the id" text={id} />
        </Fact>
      </Facts>
    </Part>
  )
}

function EndCheckout({ id }: { id: string }) {
  return (
    <Act
      label="Expire"
      title="Expire the checkout"
      consequence="Nobody can pay it any more. Your game is told that it has expired, and the player’s page shows it."
      doIt="Expire"
      done="Checkout expired."
      act={(reason) => callStudio('expireCheckout', { params: { id }, query: { reason } })}
    />
  )
}

const attemptColumns: readonly Column<CheckoutAttempt>[] = [
  { name: 'When', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Player', cell: ({ wallet }) => <WalletLink address={wallet} /> },
  { name: 'Outcome', cell: (attempt) => <span className="inline-block min-w-56">{attemptWords(attempt)}</span> },
  {
    name: 'Purchase',
    cell: ({ purchaseId }) => (purchaseId === null ? <span className="text-dim">none</span> : <FindLink id={purchaseId} />),
  },
]

type Tone = 'good' | 'warn' | 'plain'

/** The state of a checkout, in a few words. */
const checkoutStates: Record<CheckoutStatus, { word: string; tone: Tone }> = {
  open: { word: 'Open', tone: 'plain' },
  paying: { word: 'Being paid', tone: 'warn' },
  completed: { word: 'Completed', tone: 'good' },
  expired: { word: 'Expired', tone: 'plain' },
}

interface Tries {
  openedAt: string | null
  /** Newest first. */
  attempts: readonly CheckoutAttempt[]
}

/** In one sentence, why a checkout is not completed; undefined if it is. */
export function whyNotCompleted({ status }: Pick<Checkout, 'status'>, { openedAt, attempts }: Tries): string | undefined {
  if (status === 'completed') return undefined
  if (status === 'paying') return 'A payment is under way. It completes the checkout as soon as it is delivered.'
  const [last] = attempts
  if (last) return `The last attempt to pay ended like this: ${attemptWords(last)}`
  if (openedAt !== null) return 'The player has opened the page, and did not try to pay.'
  return status === 'open' ? 'The player has not opened the page yet.' : 'The player never opened the page.'
}

/** How an attempt to pay ended, in a sentence. */
export function attemptWords({ outcome, reason }: Pick<CheckoutAttempt, 'outcome' | 'reason'>): string {
  switch (outcome) {
    case 'paying':
      return 'A payment is under way.'
    case 'delivered':
      return 'It was paid and delivered.'
    case 'unpaid':
      return `It was not paid: ${reason === null ? 'ended' : endWords[reason as EndReason].toLowerCase()}.`
    case 'refused':
      return `The payment was refused, and no SOL moved: ${(reason !== null && refusals[reason]) || reason}.`
  }
}

/** Why payments for checkouts are refused most often. A code that is not here is shown as it is. */
const refusals: { [Code in string]?: string } = {
  LISTING_HELD: 'somebody else was faster',
  LISTING_NOT_ACTIVE: 'somebody else was faster',
  AMOUNT_NOT_LEFT: 'somebody else was faster',
  PRICE_MOVED: 'the price had changed',
  INSUFFICIENT_SOL: 'the wallet has too little SOL',
  BALANCE_LIMIT: 'the wallet cannot hold more of this',
  PAYMENT_EXPIRED: 'the wallet took longer than Solana allows',
  PAYMENT_REFUSED: 'it was not the payment that was offered, or the network would not carry it out',
  COOLDOWN: 'too many payments of this wallet had failed',
  TOO_MANY_HOLDS: 'the wallet was buying too much at once',
  PAUSED: 'the market was paused',
  BLOCKED: 'the wallet is blocked',
  CHECKOUT_PAYING: 'it was being paid already',
  CHECKOUT_PAID: 'it was paid already',
  CHECKOUT_EXPIRED: 'its time was over',
  CHECKOUT_OTHER_WALLET: 'it is for another wallet',
  CHECKOUT_DIFFERS: 'it was for another item or amount, or cost more than allowed',
} satisfies { [Code in ErrorCode]?: string }

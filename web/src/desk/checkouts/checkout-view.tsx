import { type Checkout, type CheckoutAttempt } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { catalogue } from '../../catalogue/catalogue.ts'
import { formatAmount } from '../../ui/format.ts'
import { checkoutQuery } from '../api/desk-queries.ts'
import { callStudio } from '../api/studio-call.ts'
import { useMay } from '../api/use-may.ts'
import { placeLink } from '../frame/places.ts'
import { Act } from '../parts/act.tsx'
import { Copyable, FindLink, Moment, WalletLink } from '../parts/names.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { Nothing, Shown } from '../parts/shown.tsx'
import { exactSol } from '../parts/sol.ts'
import { attemptWords, checkoutStates, whyNotCompleted } from './checkout-words.ts'

/** A checkout: what it is for, whether it is paid, and every attempt to pay it. */
export function CheckoutView({ id }: { id: string }) {
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
                <Table caption="Attempts to pay" columns={columns} rows={tries.attempts} keyOf={({ at, wallet }) => `${at} ${wallet}`} />
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

const columns: readonly Column<CheckoutAttempt>[] = [
  { name: 'When', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Player', cell: ({ wallet }) => <WalletLink address={wallet} /> },
  { name: 'Outcome', cell: (attempt) => <span className="inline-block min-w-56">{attemptWords(attempt)}</span> },
  {
    name: 'Purchase',
    cell: ({ purchaseId }) => (purchaseId === null ? <span className="text-dim">none</span> : <FindLink id={purchaseId} />),
  },
]

import { type Checkout, type CheckoutStatus } from '@juicebar/contract/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'
import { checkoutsQuery } from '../api/desk-queries.ts'
import { placeLink } from '../frame/places.ts'
import { Choice, TextField } from '../parts/fields.tsx'
import { Moment, WalletLink } from '../parts/names.tsx'
import { Pages } from '../parts/pages.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Part, Status } from '../parts/section.tsx'
import { exactSol } from '../parts/sol.ts'
import { CheckoutView } from './checkout-view.tsx'
import { checkoutStates } from './checkout-words.ts'

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

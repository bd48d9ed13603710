import { parseWalletAddress } from '@juicebar/contract/addresses'
import { MAX_STAFF_NAME } from '@juicebar/contract/limits'
import { type Reply } from '@juicebar/contract/calls'
import { type Scope, staffScopes } from '@juicebar/contract/scopes'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { staffQuery } from '../api/desk-queries.ts'
import { callSigned } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'
import { TextField } from '../parts/fields.tsx'
import { Moment, WalletLink } from '../parts/names.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Part } from '../parts/section.tsx'
import { Nothing, Shown } from '../parts/shown.tsx'
import { ScopeTicks } from './scope-ticks.tsx'

type Member = Reply<'studioStaff'>['staff'][number]

const columns: readonly Column<Member>[] = [
  { name: 'Wallet', cell: ({ wallet }) => <WalletLink address={wallet} /> },
  { name: 'Name', cell: ({ name }) => <span className="inline-block min-w-24 wrap-anywhere">{name ?? 'no name'}</span> },
  { name: 'Permissions', cell: ({ scopes }) => <span className="inline-block min-w-40">{scopes.join(', ')}</span> },
  { name: 'Since', cell: ({ addedAt }) => (addedAt ? <Moment at={addedAt} /> : 'set in STUDIO_WALLETS') },
  { name: 'Remove', figures: true, cell: ({ wallet, name }) => <RemoveStaff wallet={wallet} name={name} /> },
]

/** The wallets that may use this desk. */
export function StaffPart() {
  const query = useQuery(staffQuery)
  return (
    <Part
      title="Staff"
      about="The wallets that may use this desk. A removed wallet loses its access within a second."
      actions={<AddStaff />}
    >
      <Shown query={query} what="The staff">
        {(staff) =>
          staff.length ? (
            <Table caption="Staff" columns={columns} rows={staff} keyOf={({ wallet }) => wallet} />
          ) : (
            <Nothing>Nobody is on the staff.</Nothing>
          )
        }
      </Shown>
    </Part>
  )
}

function RemoveStaff({ wallet, name }: { wallet: string; name: string | null }) {
  return (
    <Act
      label="Remove"
      title={`Remove ${name ?? 'this wallet'} from the staff`}
      consequence={
        <>
          The wallet <span className="figures wrap-anywhere">{wallet}</span> can no longer use the desk, from the next second on and on
          every server. It stays a player. Keys that it made stay.
        </>
      }
      doIt="Remove"
      done="The wallet is no longer staff."
      signed
      act={(reason) => callSigned('removeStaff', { params: { wallet }, query: { reason } })}
    />
  )
}

function AddStaff() {
  const [wallet, setWallet] = useState('')
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>([...staffScopes])
  const begin = () => {
    setWallet('')
    setName('')
    setScopes([...staffScopes])
  }
  const address = wallet.trim()
  const missing = scopes.length ? undefined : 'Choose at least one permission.'
  return (
    <Act
      label="Add staff"
      kind="primary"
      title="Add a wallet to the staff"
      onBegin={begin}
      consequence="Whoever has this wallet can use the desk at once, with the permissions you choose. If the wallet is already staff, they replace its current ones."
      doIt="Add staff"
      done="The wallet can use the desk."
      signed
      problem={parseWalletAddress(address) ? missing : 'This is not a wallet’s address.'}
      act={(reason) =>
        callSigned('setStaff', { params: { wallet: address }, body: { scopes, reason, ...(name.trim() && { name: name.trim() }) } })
      }
    >
      <TextField label="Wallet" hint="Its address." required value={wallet} onChange={setWallet} />
      <TextField label="Name" maxLength={MAX_STAFF_NAME} value={name} onChange={setName} />
      <ScopeTicks chosen={scopes} onChoose={setScopes} />
    </Act>
  )
}

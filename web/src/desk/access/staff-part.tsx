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
  { name: 'Whose', cell: ({ name }) => <span className="inline-block min-w-24 wrap-anywhere">{name ?? 'nobody has said'}</span> },
  { name: 'May do', cell: ({ scopes }) => scopes.join(', ') },
  { name: 'Since', cell: ({ addedAt }) => (addedAt ? <Moment at={addedAt} /> : 'named by STUDIO_WALLETS') },
  { name: 'Take off', figures: true, cell: ({ wallet, name }) => <TakeOff wallet={wallet} name={name} /> },
]

/** The wallets that may use this desk. */
export function StaffPart() {
  const query = useQuery(staffQuery)
  return (
    <Part
      title="Staff"
      about="The wallets that may use this desk. Taking one off ends what it may do within a second."
      actions={<PutOnStaff />}
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

function TakeOff({ wallet, name }: { wallet: string; name: string | null }) {
  return (
    <Act
      label="Take off"
      title={`Take ${name ?? 'this wallet'} off the staff`}
      consequence={
        <>
          The wallet <span className="figures wrap-anywhere">{wallet}</span> can no longer use the desk, from the next second on and on
          every server. It stays a player. Keys that it made stay.
        </>
      }
      reason={{ label: 'Why', hint: 'Only the log shows it.' }}
      doIt="Take off"
      done="The wallet is off the staff."
      signed
      act={(reason) => callSigned('removeStaff', { params: { wallet }, query: { reason } })}
    />
  )
}

function PutOnStaff() {
  const [wallet, setWallet] = useState('')
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>([...staffScopes])
  const begin = () => {
    setWallet('')
    setName('')
    setScopes([...staffScopes])
  }
  const address = wallet.trim()
  const missing = scopes.length ? undefined : 'Tick at least one thing that they may do.'
  return (
    <Act
      label="Put on the staff"
      kind="primary"
      title="Put a wallet on the staff"
      onBegin={begin}
      consequence="Whoever has this wallet can use the desk at once, and do what you tick. For a wallet that is on the staff already, this replaces what it may do."
      reason={{ label: 'Why', hint: 'Only the log shows it.' }}
      doIt="Put on the staff"
      done="The wallet is on the staff."
      signed
      problem={parseWalletAddress(address) ? missing : 'This is not a wallet’s address.'}
      act={(reason) =>
        callSigned('setStaff', { params: { wallet: address }, body: { scopes, reason, ...(name.trim() && { name: name.trim() }) } })
      }
    >
      <TextField label="Wallet" hint="Its address." required value={wallet} onChange={setWallet} />
      <TextField label="Whose it is" maxLength={MAX_STAFF_NAME} value={name} onChange={setName} />
      <ScopeTicks chosen={scopes} onChoose={setScopes} />
    </Act>
  )
}

import { parseWalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { MAX_KEY_NAME, MAX_STAFF_NAME } from '@juicebar/contract/limits'
import { type Scope, scopes, staffScopes } from '@juicebar/contract/scopes'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { inMarketWords } from '../catalogue/catalogue.ts'
import { formatAmount } from '../ui/format.ts'
import { callSigned, keysQuery, staffQuery, useMay } from './desk-queries.ts'
import { Act } from './parts/act.tsx'
import { SelectField, TextField, Tick } from './parts/fields.tsx'
import { Moment, Secret, WalletLink, Who } from './parts/names.tsx'
import { type Column, Pages, Table } from './parts/rows.tsx'
import { Part, Status } from './parts/section.tsx'
import { Nothing, Shown, useClock } from './parts/shown.tsx'

/** Who may use the studio's API: programs by their keys, people by their wallets. */
export function Access() {
  return (
    <div className="grid gap-5">
      <KeysPart />
      <StaffPart />
    </div>
  )
}

type Key = Reply<'studioKeys'>['keys'][number]

/** The keys of the studio's programs. */
function KeysPart() {
  const query = useInfiniteQuery(keysQuery)
  const [secret, setSecret] = useState<string>()
  const now = useClock()
  const inUse = query.data?.pages.flatMap(({ items }) => items).filter((key) => endOf(key, now) === undefined) ?? []
  return (
    <Part
      title="Keys"
      about="One for each program. The root key is not among them."
      actions={<CreateKey inUse={inUse} onCreated={setSecret} />}
    >
      {secret && <Secret what="The secret of the new key" secret={secret} onPutAway={() => setSecret(undefined)} />}
      <Pages query={query} what="The keys" nothing="No keys besides the root key.">
        {(keys) => <KeyRows keys={keys} />}
      </Pages>
    </Part>
  )
}

function KeyRows({ keys }: { keys: readonly Key[] }) {
  const now = useClock()
  return <Table caption="Keys" columns={keyColumns(now)} rows={keys} keyOf={({ id }) => id} />
}

function keyColumns(now: number): readonly Column<Key>[] {
  return [
    { name: 'Name', cell: ({ name }) => <b className="inline-block min-w-24 font-semibold wrap-anywhere">{name}</b> },
    { name: 'State', cell: (key) => <Status tone={endOf(key, now) ? 'plain' : 'good'}>{endOf(key, now) ?? 'In use'}</Status> },
    { name: 'Permissions', cell: ({ scopes }) => <span className="inline-block min-w-40">{scopes.join(', ')}</span> },
    { name: 'Credits today', cell: creditText },
    { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment at={lastUsedAt} /> : 'never') },
    { name: 'Created by', cell: ({ createdBy }) => <Who name={createdBy} /> },
    { name: 'Revoke', action: true, cell: (key) => endOf(key, now) === undefined && <RevokeKey id={key.id} name={key.name} /> },
  ]
}

/** Why a key is no longer accepted; undefined if it is. */
function endOf({ revokedAt, expiresAt }: Key, now: number): string | undefined {
  if (revokedAt) return 'Revoked'
  return expiresAt && Date.parse(expiresAt) <= now ? 'Expired' : undefined
}

function creditText({ dailyCreditLimit, creditedToday }: Key): string {
  return dailyCreditLimit === null ? 'no limit' : `${formatAmount(creditedToday ?? 0)} of ${formatAmount(dailyCreditLimit)}`
}

function RevokeKey({ id, name }: { id: string; name: string }) {
  return (
    <Act
      label="Revoke"
      title={`Revoke the key “${name}”`}
      consequence="Programs that use it are refused at once, on every server. This cannot be undone: create the replacement first."
      doIt="Revoke key"
      done="Key revoked."
      signed
      act={(reason) => callSigned('revokeStudioKey', { params: { id }, query: { reason } })}
    />
  )
}

function CreateKey({ inUse, onCreated }: { inUse: readonly Key[]; onCreated: (secret: string) => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>(['read'])
  const [limit, setLimit] = useState('')
  const [expires, setExpires] = useState('')
  const [replaced, setReplaced] = useState('')
  const now = useClock()
  const begin = () => {
    setName('')
    setScopes(['read'])
    setLimit('')
    setExpires('')
    setReplaced('')
  }
  const optional = {
    ...(limit && { dailyCreditLimit: Number(limit) }),
    ...(expires && { expiresAt: new Date(expires).toISOString() }),
    ...(replaced && { replaces: replaced }),
  }
  return (
    <Act
      label="Create key"
      kind="primary"
      title="Create a key"
      onBegin={begin}
      consequence="Whoever has its secret can use the permissions you choose until you revoke the key. The secret is shown only once: store it safely."
      doIt="Create key"
      done="Key created."
      signed
      problem={problemOf({ name, scopes, limit, expires }, now)}
      act={(reason) => callSigned('createStudioKey', { body: { name: name.trim(), scopes, reason, ...optional } })}
      onDone={({ key }) => onCreated(key.secret)}
    >
      <TextField label="Name" hint="Shown in the log." maxLength={MAX_KEY_NAME} required value={name} onChange={setName} />
      <ScopeTicks chosen={scopes} onChoose={setScopes} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Credits a day"
          hint={inMarketWords('Across all drinks. Leave empty for no limit.')}
          inputMode="numeric"
          value={limit}
          onChange={setLimit}
        />
        <TextField
          type="datetime-local"
          label="Expires"
          hint="In your time zone. Leave empty for never."
          value={expires}
          onChange={setExpires}
        />
      </div>
      {inUse.length > 0 && (
        <SelectField
          label="Replaces"
          hint="Orders already posted with that key are not posted again with this one. Revoke the old key once the new one is in use."
          options={[{ value: '', label: 'No key' }, ...inUse.map(({ id, name: label }) => ({ value: id, label }))]}
          chosen={replaced}
          onChoose={setReplaced}
        />
      )}
    </Act>
  )
}

interface KeyText {
  name: string
  scopes: readonly Scope[]
  limit: string
  expires: string
}

function problemOf({ name, scopes, limit, expires }: KeyText, now: number): string | undefined {
  if (!name.trim()) return 'Give the key a name.'
  if (!scopes.length) return 'Choose at least one permission.'
  if (limit && !Number.isSafeInteger(Number(limit))) return 'The credits a day are a whole number.'
  if (expires && Date.parse(expires) <= now) return 'The key would have expired already: choose a later time.'
  return undefined
}

type Member = Reply<'studioStaff'>['staff'][number]

const columns: readonly Column<Member>[] = [
  { name: 'Wallet', cell: ({ wallet }) => <WalletLink address={wallet} /> },
  { name: 'Name', cell: ({ name }) => <span className="inline-block min-w-24 wrap-anywhere">{name ?? 'no name'}</span> },
  { name: 'Permissions', cell: ({ scopes }) => <span className="inline-block min-w-40">{scopes.join(', ')}</span> },
  { name: 'Since', cell: ({ addedAt }) => (addedAt ? <Moment at={addedAt} /> : 'set in STUDIO_WALLETS') },
  { name: 'Remove', action: true, cell: ({ wallet, name }) => <RemoveStaff wallet={wallet} name={name} /> },
]

/** The wallets that may use this desk. */
function StaffPart() {
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

const meanings: Record<Scope, string> = {
  read: 'See everything but keys, webhooks and the log; start audits',
  credit: 'Give drinks to players',
  debit: 'Take drinks from players',
  checkout: 'Make checkouts for players, and end them',
  cases: 'Close cases, release holds',
  rules: 'Pause, block, set rules',
  admin: 'Keys, staff, webhooks, the log',
}

interface ScopeTicksProps {
  chosen: readonly Scope[]
  onChoose: (chosen: Scope[]) => void
}

/** What a key or a person may do. Nobody can give what they may not do themselves. */
function ScopeTicks({ chosen, onChoose }: ScopeTicksProps) {
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="mb-2 text-small font-semibold">Permissions</legend>
      {scopes.map((scope) => (
        <ScopeTick
          key={scope}
          scope={scope}
          checked={chosen.includes(scope)}
          onChange={(checked) => onChoose(scopes.filter((one) => (one === scope ? checked : chosen.includes(one))))}
        />
      ))}
    </fieldset>
  )
}

function ScopeTick({ scope, checked, onChange }: { scope: Scope; checked: boolean; onChange: (checked: boolean) => void }) {
  const may = useMay(scope)
  return <Tick label={scope} hint={inMarketWords(meanings[scope])} checked={checked} disabled={!may} onChange={onChange} />
}

import { MAX_KEY_NAME } from '@juicebar/contract/limits'
import { type Reply } from '@juicebar/contract/calls'
import { type Scope } from '@juicebar/contract/scopes'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { formatAmount } from '../../ui/format.ts'
import { keysQuery } from '../api/desk-queries.ts'
import { callSigned } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { Moment, Who } from '../parts/names.tsx'
import { Pages } from '../parts/pages.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { Secret } from '../parts/secret.tsx'
import { Part, Status } from '../parts/section.tsx'
import { useClock } from '../parts/use-clock.ts'
import { ScopeTicks } from './scope-ticks.tsx'

type Key = Reply<'studioKeys'>['keys'][number]

/** The keys of the studio's programs. */
export function KeysPart() {
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
    { name: 'Revoke', figures: true, cell: (key) => endOf(key, now) === undefined && <RevokeKey id={key.id} name={key.name} /> },
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

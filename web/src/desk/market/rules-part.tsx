import { MAX_ITEM_NAME } from '@juicebar/contract/catalogue'
import { type Rule } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { catalogue, MOST_SIDE_BY_SIDE } from '../../catalogue/catalogue.ts'
import { formatAmount, formatSol } from '../../ui/format.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { rulesQuery } from '../api/desk-queries.ts'
import { callStudio } from '../api/studio-call.ts'
import { useMay } from '../api/use-may.ts'
import { Act } from '../parts/act.tsx'
import { TextField } from '../parts/fields.tsx'
import { type Column, Table } from '../parts/rows.tsx'
import { DrinkName } from '../parts/names.tsx'
import { Part } from '../parts/section.tsx'
import { Shown } from '../parts/shown.tsx'
import { limits, readRule, replaceRule, ruleText } from './rule-form.ts'

/** The rules for listings and purchases of each drink. */
export function RulesPart() {
  const query = useQuery(rulesQuery)
  return (
    <Part title="Rules" about="Applied when somebody lists or buys, never to what is already paid.">
      <Shown query={query} what="The rules">
        {(rules) => <Rules rules={rules} />}
      </Shown>
    </Part>
  )
}

interface RuleRow {
  type: Rule['tokenType']
  name: string
  rule: Rule | undefined
  /** All of them, since they are set together. */
  rules: readonly Rule[]
  may: boolean
}

const columns: readonly Column<RuleRow>[] = [
  { name: 'Drink', cell: ({ type, name }) => <DrinkName type={type} name={name} /> },
  { name: 'Unit price (SOL)', figures: true, cell: ({ rule }) => priceText(rule) },
  { name: 'Listings per player', figures: true, cell: ({ rule }) => atMost(rule?.maxListingsPerWallet, formatAmount) },
  { name: 'SOL per player per day', figures: true, cell: ({ rule }) => atMost(rule?.maxSolPerWalletPerDay, formatSol) },
  { name: 'Change', figures: true, cell: ({ type, name, rules, may }) => may && <ChangeRule tokenType={type} name={name} rules={rules} /> },
]

/** Of many items, those with rules come first. */
function Rules({ rules }: { rules: readonly Rule[] }) {
  const may = useMay('rules')
  const [search, setSearch] = useState('')
  const { items } = catalogue()
  const many = items.length > MOST_SIDE_BY_SIDE
  const all = items.map(({ code, name }) => ({ type: code, name, rule: rules.find(({ tokenType }) => tokenType === code), rules, may }))
  const shown = all.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
  const rows = many ? [...shown.filter(({ rule }) => rule), ...shown.filter(({ rule }) => !rule)] : shown
  return (
    <>
      {many && <SearchBox label="Search the items" maxLength={MAX_ITEM_NAME} value={search} onChange={setSearch} />}
      <Table short={many} caption="Rules of the drinks" columns={columns} rows={rows} keyOf={({ type }) => type} />
    </>
  )
}

function atMost(limit: number | undefined, format: (limit: number) => string): string {
  return limit === undefined ? 'any' : `at most ${format(limit)}`
}

function priceText({ minUnitPrice: least, maxUnitPrice: most }: Partial<Rule> = {}): string {
  if (least === undefined) return atMost(most, formatSol)
  return most === undefined ? `at least ${formatSol(least)}` : `${formatSol(least)} to ${formatSol(most)}`
}

function ChangeRule({ tokenType, name, rules }: { tokenType: Rule['tokenType']; name: string; rules: readonly Rule[] }) {
  const known = rules.find((rule) => rule.tokenType === tokenType)
  const [text, setText] = useState(() => ruleText(known))
  const read = readRule(tokenType, text)
  return (
    <Act
      label={
        // Kept inside the table's frame; otherwise the page would become wider.
        <span className="relative">
          Change<span className="sr-only"> {name}</span>
        </span>
      }
      title={`Rules of ${name}`}
      onBegin={() => setText(ruleText(known))}
      consequence="They apply at once, on every server. Listings that break them stay where they are, but nobody can buy them."
      doIt="Save rules"
      done={`The rules of ${name} are set.`}
      problem={'problem' in read ? read.problem : undefined}
      act={(reason) => {
        const rule = 'rule' in read ? read.rule : undefined
        return callStudio('setRules', { body: { rules: replaceRule(rules, tokenType, rule), reason } })
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {limits.map(({ name: limit, label }) => (
          <TextField
            key={limit}
            label={label}
            inputMode="decimal"
            value={text[limit]}
            onChange={(value) => setText((before) => ({ ...before, [limit]: value }))}
          />
        ))}
      </div>
      <p className="text-tiny text-dim">Leave a field empty for no limit.</p>
    </Act>
  )
}

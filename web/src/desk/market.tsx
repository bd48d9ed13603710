import { MAX_ITEM_NAME } from '@juicebar/contract/catalogue'
import { MAX_DAILY_SOL, MAX_LISTINGS_RULE, MAX_PRICE_SOL } from '@juicebar/contract/limits'
import { type Block, type Rule } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { catalogue, MOST_SIDE_BY_SIDE } from '../catalogue/catalogue.ts'
import { formatAmount, formatSol } from '../ui/format.ts'
import { SearchBox } from '../ui/search-box.tsx'
import { blocksQuery, callStudio, pauseQuery, rulesQuery, useMay } from './desk-queries.ts'
import { Act, Unblock } from './parts/act.tsx'
import { TextField } from './parts/fields.tsx'
import { DrinkName, Moment, WalletLink, Who } from './parts/names.tsx'
import { type Column, Pages, Table } from './parts/rows.tsx'
import { Part } from './parts/section.tsx'
import { Shown } from './parts/shown.tsx'

/** The studio's restrictions, for everyone and for blocked players. To block a player, find the player first. */
export function MarketControls() {
  return (
    <div className="grid gap-5">
      <PausePart />
      <RulesPart />
      <BlocksPart />
    </div>
  )
}

/** Whether the market is paused, and the way to change it. */
function PausePart() {
  const query = useQuery(pauseQuery)
  const may = useMay('rules')
  const pause = query.data
  return (
    <Part
      title={pause ? 'The market is paused' : 'Pause'}
      about="While it is paused, nothing can be listed or bought."
      actions={
        may &&
        pause !== undefined && (
          <>
            <PauseMarket again={pause !== null} />
            {pause && <ResumeMarket />}
          </>
        )
      }
    >
      <Shown query={query} what="Whether the market is paused">
        {(read) =>
          read ? (
            <p className="rounded-field bg-warn/12 px-4 py-3 text-small wrap-anywhere">
              Since <Moment at={read.since} />, players read: “{read.message}”
            </p>
          ) : (
            <p className="rounded-field bg-well px-4 py-3 text-small">The market is open.</p>
          )
        }
      </Shown>
    </Part>
  )
}

function PauseMarket({ again }: { again: boolean }) {
  return (
    <Act
      label={again ? 'Change the message' : 'Pause the market'}
      title={again ? 'Change the message' : 'Pause the market'}
      consequence={
        again
          ? 'Every player reads the new message at once. The market stays paused.'
          : 'Within a second nobody can list or buy, on every server. What is being paid is still delivered, and players can still remove their listings and refund.'
      }
      reason={{ label: 'Message', hint: 'Shown to every player, and kept in the log.' }}
      doIt={again ? 'Change' : 'Pause'}
      done={again ? 'The message is changed.' : 'The market is paused.'}
      act={(message) => callStudio('pauseMarket', { body: { message } })}
    />
  )
}

function ResumeMarket() {
  return (
    <Act
      label="Open the market"
      kind="primary"
      title="Open the market again"
      consequence="Players can list and buy again at once, on every server."
      doIt="Open"
      done="The market is open."
      act={(reason) => callStudio('resumeMarket', { query: { reason } })}
    />
  )
}

const columns: readonly Column<Block>[] = [
  { name: 'Player', cell: ({ walletAddress }) => <WalletLink address={walletAddress} /> },
  { name: 'Reason', cell: ({ reason }) => <span className="block min-w-40 wrap-anywhere">{reason}</span> },
  { name: 'Since', cell: ({ since }) => <Moment at={since} /> },
  { name: 'By', cell: ({ actor }) => <Who name={actor} /> },
  { name: 'Until', cell: ({ until }) => (until ? <Moment at={until} /> : <span className="whitespace-nowrap">somebody ends it</span>) },
]

const end: Column<Block> = {
  name: 'Unblock',
  action: true,
  cell: ({ walletAddress }) => <Unblock walletAddress={walletAddress} />,
}

/** Everyone who is blocked from listing and buying. */
function BlocksPart() {
  const query = useInfiniteQuery(blocksQuery)
  const may = useMay('rules')
  return (
    <Part title="Blocked players" about="They can neither list nor buy. To block somebody, find them first.">
      <Pages query={query} what="Who is blocked" nothing="Nobody is blocked.">
        {(blocks) => (
          <Table
            caption="Blocked players"
            columns={may ? [...columns, end] : columns}
            rows={blocks}
            keyOf={({ walletAddress }) => walletAddress}
          />
        )}
      </Pages>
    </Part>
  )
}

/** The rules for listings and purchases of each drink. */
function RulesPart() {
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

const ruleColumns: readonly Column<RuleRow>[] = [
  { name: 'Drink', cell: ({ type, name }) => <DrinkName type={type} name={name} /> },
  { name: 'Unit price (SOL)', figures: true, cell: ({ rule }) => priceText(rule) },
  { name: 'Listings per player', figures: true, cell: ({ rule }) => atMost(rule?.maxListingsPerWallet, formatAmount) },
  { name: 'SOL per player per day', figures: true, cell: ({ rule }) => atMost(rule?.maxSolPerWalletPerDay, formatSol) },
  { name: 'Change', action: true, cell: ({ type, name, rules, may }) => may && <ChangeRule tokenType={type} name={name} rules={rules} /> },
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
      <Table short={many} caption="Rules of the drinks" columns={ruleColumns} rows={rows} keyOf={({ type }) => type} />
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

/** The limits of a rule, in the order of the form. */
const limits = [
  { name: 'minUnitPrice', label: 'Minimum unit price (SOL)', most: MAX_PRICE_SOL, whole: false },
  { name: 'maxUnitPrice', label: 'Maximum unit price (SOL)', most: MAX_PRICE_SOL, whole: false },
  { name: 'maxListingsPerWallet', label: 'Listings per player, at most', most: MAX_LISTINGS_RULE, whole: true },
  { name: 'maxSolPerWalletPerDay', label: 'SOL per player per day, at most', most: MAX_DAILY_SOL, whole: false },
] as const

type LimitName = (typeof limits)[number]['name']
/** What is typed: text, empty where nothing is limited. */
type RuleText = Record<LimitName, string>

const decimal = /^\d{1,10}(?:\.\d{1,9})?$/

/** A drink's rule as text to change. */
export function ruleText(rule: Rule | undefined): RuleText {
  const text = (name: LimitName) => (rule?.[name] === undefined ? '' : plain(rule[name]))
  return {
    minUnitPrice: text('minUnitPrice'),
    maxUnitPrice: text('maxUnitPrice'),
    maxListingsPerWallet: text('maxListingsPerWallet'),
    maxSolPerWalletPerDay: text('maxSolPerWalletPerDay'),
  }
}

/** Reads the form of one drink: its rule, undefined if it limits nothing, or what is wrong. */
export function readRule(tokenType: Rule['tokenType'], text: RuleText): { rule: Rule | undefined } | { problem: string } {
  const rule: Rule = { tokenType }
  for (const { name, label, most, whole } of limits) {
    const typed = text[name].trim()
    if (!typed) continue
    const value = Number(typed)
    if (!decimal.test(typed) || value > most || (whole && !Number.isInteger(value))) {
      return { problem: `“${label}” is ${whole ? 'a whole number' : 'a number with at most nine decimals'}, or empty.` }
    }
    rule[name] = value
  }
  const { minUnitPrice, maxUnitPrice } = rule
  if (minUnitPrice !== undefined && maxUnitPrice !== undefined && minUnitPrice > maxUnitPrice) {
    return { problem: 'The lowest price is above the highest: nobody could sell it.' }
  }
  return { rule: limits.some(({ name }) => rule[name] !== undefined) ? rule : undefined }
}

/** All rules, with that of one drink replaced or, if it is undefined, left out. */
export function replaceRule(rules: readonly Rule[], tokenType: Rule['tokenType'], rule: Rule | undefined): Rule[] {
  const others = rules.filter((other) => other.tokenType !== tokenType)
  return rule ? [...others, rule] : others
}

/** Without an exponent, which nobody types: 1e-9 is "0.000000001". */
function plain(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '')
}

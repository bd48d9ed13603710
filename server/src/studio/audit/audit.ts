import { type Audit, type AuditReport, type AuditSummary } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { solText } from '@juicebar/contract/money'

type Violation = Audit['violations'][number]

/** What the ledger showed, all of it in the database. */
export interface LedgerFinding {
  tokens: Audit['tokens']
  /** `revenue` in lamports, as text. */
  purchases: { held: number; settled: number; ended: number; openCases: number; revenue: string }
  violations: Violation[]
}

/** What the chain showed about the payment of one purchase. `earlier chain`: settled on a local chain that no longer exists. */
export type PaymentFinding =
  | { kind: 'verified' | 'earlier chain' }
  | { kind: 'violation'; detail: string }
  | { kind: 'unchecked'; detail: string }

/** An audit's progress. */
export interface AuditState {
  part: 'ledger' | 'unfinalized' | 'finalized'
  total: number
  checked: number
  verified: number
  earlierChain: number
  isClean: boolean
  tokens: Audit['tokens'] | null
  purchases: LedgerFinding['purchases'] | null
  violations: Violation[]
  violationCount: number
  unchecked: string[]
  uncheckedCount: number
}

/** The result of a step of an audit. */
export interface AuditStep {
  state: AuditState
  /** Where the next page begins: after this purchase, or at the beginning of the part. */
  cursor: { after: string } | 'start of the part'
  /** The watermark moves up to this purchase. */
  cleanId: string | undefined
  done: boolean
}

/** How many violations, and how many unchecked payments, are kept; all are counted. */
const KEPT = 100

/** The ledger was checked: the payments are next. */
export function afterLedger(state: AuditState, { tokens, purchases, violations }: LedgerFinding): AuditStep {
  const imbalances = tokens
    .filter((token) => !token.balanced)
    .map(({ tokenType }) => ({ invariant: 'I1', detail: `${tokenType}: wallets and listings do not add up to credits less debits` }))
  const next = withViolations({ ...state, part: 'unfinalized', tokens, purchases }, [...imbalances, ...violations])
  return { state: next, cursor: 'start of the part', cleanId: undefined, done: false }
}

/**
 * A page of payments was checked. The watermark passes only final payments, and none after one that was wrong or could not be checked.
 *
 * @param isLast no page of this part follows.
 */
export function afterPage(state: AuditState, ids: readonly string[], findings: readonly PaymentFinding[], isLast: boolean): AuditStep {
  const isFinal = state.part === 'finalized'
  const firstUnclean = findings.findIndex(({ kind }) => kind === 'violation' || kind === 'unchecked')
  const clean = !isFinal || !state.isClean ? 0 : firstUnclean < 0 ? ids.length : firstUnclean
  const last = ids.at(-1)
  const counted: AuditState = {
    ...state,
    part: isLast ? 'finalized' : state.part,
    checked: state.checked + findings.length,
    verified: state.verified + countOf(findings, 'verified'),
    earlierChain: state.earlierChain + countOf(findings, 'earlier chain'),
    isClean: state.isClean && (!isFinal || firstUnclean < 0),
  }
  const wrong = findings.flatMap((found) => (found.kind === 'violation' ? [{ invariant: 'I3', detail: found.detail }] : []))
  const open = findings.flatMap((found) => (found.kind === 'unchecked' ? [found.detail] : []))
  return {
    state: withUnchecked(withViolations(counted, wrong), open),
    cursor: last === undefined || (isLast && !isFinal) ? 'start of the part' : { after: last },
    cleanId: clean > 0 ? ids[clean - 1] : undefined,
    done: isFinal && isLast,
  }
}

/** The audit ends although not everything was checked. `reason` says why, in words. */
export function givenUp(state: AuditState, reason: string): AuditStep {
  const left = Math.max(0, state.total - state.checked)
  const what = state.part === 'ledger' ? `the ledger and ${left} payments` : `${left} payments`
  return {
    state: withUnchecked({ ...state, isClean: false }, [`${what}: ${reason}`]),
    cursor: 'start of the part',
    cleanId: undefined,
    done: true,
  }
}

/** An audit in the database. */
export interface AuditRow extends AuditState {
  id: string
  isFull: boolean
  createdAt: Date
  /** Whose key or wallet; null if that is not known. */
  startedBy: string | null
  finishedAt: Date | null
  /** Settled purchases before those that this audit checks. */
  verifiedBefore: number
  /** How often working on it has failed since its last progress. */
  failures: number
}

/** An audit as lists show it. */
export type AuditSummaryRow = Pick<
  AuditRow,
  'id' | 'isFull' | 'createdAt' | 'startedBy' | 'finishedAt' | 'checked' | 'total' | 'violationCount' | 'uncheckedCount'
>

/** An audit as the studio API lists it. */
export function auditSummary(row: AuditSummaryRow): AuditSummary {
  const { id, isFull, startedBy, checked, total, violationCount, uncheckedCount } = row
  const done = row.finishedAt !== null
  return {
    id,
    status: done ? 'done' : 'running',
    full: isFull,
    startedAt: row.createdAt.toISOString(),
    startedBy,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    // A payment that becomes final while the audit runs may be checked twice.
    progress: { checked: Math.min(checked, total), total },
    ok: violationCount > 0 ? false : done ? true : null,
    violationCount,
    uncheckedCount,
  }
}

/** An audit as the studio API shows it. */
export function auditReply(row: AuditRow): Audit {
  const { revenue, ...counts } = row.purchases ?? { revenue: null }
  return {
    ...auditSummary(row),
    violations: row.violations,
    unchecked: row.unchecked,
    tokens: row.tokens ?? [],
    purchases: row.purchases && {
      ...noPurchases,
      ...counts,
      earlierChain: row.earlierChain,
      verifiedOnChain: row.verifiedBefore + row.verified,
    },
    // Missing while an audit started by a server without fees is running.
    revenue: revenue ? { lamports: revenue } : null,
  }
}

const noPurchases = { held: 0, settled: 0, ended: 0, openCases: 0, earlierChain: 0, verifiedOnChain: 0 }

/** An audit as one report. Payments that a running audit has not reached yet are listed as not checked. */
export function auditReport(row: AuditRow): AuditReport {
  const { tokens, violations, unchecked, purchases, revenue, progress } = auditReply(row)
  const left = `${progress.total - progress.checked} payments: the audit is still running, see GET /api/studio/audits/${row.id}`
  return {
    ok: violations.length === 0,
    checkedAt: (row.finishedAt ?? new Date()).toISOString(),
    tokens,
    purchases: purchases ?? noPurchases,
    revenue: revenue ?? { lamports: '0' },
    violations,
    unchecked: row.finishedAt === null ? [...unchecked, left] : unchecked,
  }
}

function countOf(findings: readonly PaymentFinding[], kind: PaymentFinding['kind']): number {
  return findings.filter((found) => found.kind === kind).length
}

function withViolations(state: AuditState, found: readonly Violation[]): AuditState {
  return { ...state, violations: [...state.violations, ...found].slice(0, KEPT), violationCount: state.violationCount + found.length }
}

function withUnchecked(state: AuditState, found: readonly string[]): AuditState {
  return { ...state, unchecked: [...state.unchecked, ...found].slice(0, KEPT), uncheckedCount: state.uncheckedCount + found.length }
}

const LISTED = 10

/** A finished audit as text for a terminal. `nameOf`: what players call a token type. */
export function auditText(audit: Audit, nameOf: (tokenType: TokenType) => string): string {
  const names = audit.tokens.map(({ tokenType }) => nameOf(tokenType))
  const row = rowOf(Math.max(FIRST_WIDTH, ...names.map((name) => name.length + GAP)))
  const { purchases, revenue, tokens, violations, violationCount, unchecked, uncheckedCount } = audit
  return [
    verdict(audit),
    '',
    row('Token', 'Credited', 'Debited', 'In wallets', 'In listings', ''),
    ...tokens.map((token, index) =>
      row(names[index] ?? '', token.credited, token.debited, token.inWallets, token.inListings, token.balanced ? 'balanced' : 'WRONG'),
    ),
    '',
    ...(purchases ? purchaseLines(purchases) : []),
    ...(revenue && revenue.lamports !== '0' ? [`Fees received: ${solText(BigInt(revenue.lamports))} SOL.`] : []),
    ...section(
      'Wrong',
      violations.map(({ invariant, detail }) => `${invariant}: ${detail}`),
      violationCount,
    ),
    ...section('Not checked', unchecked, uncheckedCount),
    '',
  ].join('\n')
}

function verdict({ ok, violationCount, uncheckedCount }: Audit): string {
  if (!ok) return `${violationCount} ${violationCount === 1 ? 'check fails' : 'checks fail'}.`
  return uncheckedCount === 0 ? 'Everything adds up.' : 'What could be checked adds up.'
}

function purchaseLines({ settled, held, ended, openCases, verifiedOnChain, earlierChain }: NonNullable<Audit['purchases']>): string[] {
  return [
    `Purchases: ${settled} settled, ${held} held, ${ended} ended, ${openCases} open cases.`,
    `Payments verified on chain: ${verifiedOnChain}; on an earlier local chain: ${earlierChain}.`,
  ]
}

/** The minimum width of the first column, in characters, and the space after its longest name. */
const FIRST_WIDTH = 14
const GAP = 2
const widths = [12, 12, 12, 12, 10]

/** Writes rows whose first column has this width. */
function rowOf(width: number) {
  return (first: string, ...cells: (string | number)[]): string =>
    [first.padEnd(width), ...cells.map((cell, index) => String(cell).padStart(widths[index] ?? 0))].join('').trimEnd()
}

function section(title: string, lines: readonly string[], count: number): string[] {
  if (count === 0) return []
  const more = count > LISTED ? [`  and ${count - LISTED} more`] : []
  return ['', `${title}:`, ...lines.slice(0, LISTED).map((line) => `  ${line}`), ...more]
}

const WRONG = 1
export const NOT_CHECKED = 2

/**
 * The exit code of a command that shows this audit: 0 if everything was checked and adds up, 1 if something is wrong, 2 if nothing is wrong
 * but not everything was checked.
 */
export function exitCodeOf({ ok, uncheckedCount }: Audit): number {
  if (!ok) return WRONG
  return uncheckedCount > 0 ? NOT_CHECKED : 0
}

import { type TokenType } from '@juicebar/contract/catalogue'
import { solText } from '@juicebar/contract/money'
import { type Audit } from '@juicebar/contract/schemas'

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

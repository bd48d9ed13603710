import { solText } from '@juicebar/contract/money'
import { type Audit } from '@juicebar/contract/schemas'
import { tokenName } from '@juicebar/contract/token-types'

const LISTED = 10

/** A finished audit as text for a terminal. */
export function auditText(audit: Audit): string {
  const { purchases, revenue, tokens, violations, violationCount, unchecked, uncheckedCount } = audit
  return [
    verdict(audit),
    '',
    row('Token', 'Credited', 'Debited', 'In wallets', 'In listings', ''),
    ...tokens.map((token) =>
      row(
        tokenName(token.tokenType),
        token.credited,
        token.debited,
        token.inWallets,
        token.inListings,
        token.balanced ? 'balanced' : 'WRONG',
      ),
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

const widths = [14, 12, 12, 12, 12, 10]

function row(...cells: (string | number)[]): string {
  return cells
    .map((cell, index) => (index === 0 ? String(cell).padEnd(widths[index] ?? 0) : String(cell).padStart(widths[index] ?? 0)))
    .join('')
    .trimEnd()
}

function section(title: string, lines: readonly string[], count: number): string[] {
  if (count === 0) return []
  const more = count > LISTED ? [`  and ${count - LISTED} more`] : []
  return ['', `${title}:`, ...lines.slice(0, LISTED).map((line) => `  ${line}`), ...more]
}

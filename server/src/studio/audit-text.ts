import { type AuditReport } from '@juicebar/contract/schemas'
import { tokenName } from '@juicebar/contract/token-types'

const LISTED = 10

/** The money audit as text for a terminal. */
export function auditText(report: AuditReport): string {
  const { purchases, tokens, violations, unchecked } = report
  return [
    verdict(report),
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
    `Purchases: ${purchases.settled} settled, ${purchases.held} held, ${purchases.ended} ended, ${purchases.openCases} open cases.`,
    `Payments verified on chain: ${purchases.verifiedOnChain}; on an earlier local chain: ${purchases.earlierChain}.`,
    ...section(
      'Wrong',
      violations.map(({ invariant, detail }) => `${invariant}: ${detail}`),
    ),
    ...section('Not checked', unchecked),
    '',
  ].join('\n')
}

function verdict({ ok, violations, unchecked }: AuditReport): string {
  if (!ok) return `${violations.length} ${violations.length === 1 ? 'check fails' : 'checks fail'}.`
  return unchecked.length === 0 ? 'Everything adds up.' : 'What could be checked adds up.'
}

const widths = [14, 12, 12, 12, 12, 10]

function row(...cells: (string | number)[]): string {
  return cells
    .map((cell, index) => (index === 0 ? String(cell).padEnd(widths[index] ?? 0) : String(cell).padStart(widths[index] ?? 0)))
    .join('')
    .trimEnd()
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length > LISTED ? [`  and ${lines.length - LISTED} more`] : []
  return ['', `${title}:`, ...lines.slice(0, LISTED).map((line) => `  ${line}`), ...more]
}

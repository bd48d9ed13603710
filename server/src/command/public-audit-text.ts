import { type PublicReport } from './audit-public.ts'

const LISTED = 10

/** A public audit as text for a terminal. */
export function publicAuditText({ market, keys, matched, cases, violations, pending, unchecked }: PublicReport): string {
  return [
    verdict(violations.length, unchecked.length),
    '',
    `Payments of ${market} that the chain and the market tell alike: ${matched}. Payments that became cases: ${cases}.`,
    ...(keys.length === 0 ? ['The market names no key that signs payments.'] : [`Signed by ${keys.join(', ')}.`]),
    ...section('Wrong', violations),
    ...section('Pending', pending),
    ...section('Not checked', unchecked),
    '',
  ].join('\n')
}

/** 1 if something is wrong, 2 if nothing is wrong but not everything was checked, otherwise 0. */
export function publicExitCode({ violations, unchecked }: Pick<PublicReport, 'violations' | 'unchecked'>): number {
  if (violations.length > 0) return 1
  return unchecked.length > 0 ? 2 : 0
}

function verdict(wrong: number, unchecked: number): string {
  if (wrong > 0) return `${wrong} ${wrong === 1 ? 'payment is' : 'payments are'} not as the market tells.`
  return unchecked === 0
    ? 'The market tells of every payment that it signed, and of no other.'
    : 'What could be checked is as the market tells.'
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length > LISTED ? [`  and ${lines.length - LISTED} more`] : []
  return ['', `${title}:`, ...lines.slice(0, LISTED).map((line) => `  ${line}`), ...more]
}

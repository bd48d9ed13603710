import { type Audit } from '@juicebar/contract/schemas'

type Found = Pick<Audit, 'status' | 'ok' | 'violationCount' | 'uncheckedCount'>

/** An audit's findings, in a sentence. Unchecked payments are never called clean. */
export function auditVerdict({ status, ok, violationCount, uncheckedCount }: Found): { word: string; tone: 'good' | 'warn' | 'plain' } {
  if (ok === false || violationCount > 0) return { word: 'Something does not add up', tone: 'warn' }
  if (status === 'running') return { word: 'The audit is under way', tone: 'plain' }
  if (uncheckedCount > 0) return { word: 'Not everything could be checked', tone: 'warn' }
  return { word: 'Everything adds up', tone: 'good' }
}

import { type Audit } from '@juicebar/contract/schemas'

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

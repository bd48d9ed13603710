import { Failure } from '@juicebar/contract/errors'
import { parseTime } from '@juicebar/contract/formats/time'

/**
 * A time with its zone, not only a day.
 * @throws BAD_REQUEST if the text of this field is none
 */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (!time || !text.includes('T')) throw new Failure('BAD_REQUEST', { detail: `${field} must be a time such as 2030-01-31T12:00:00Z.` })
  return time
}

import { Failure } from '@juicebar/contract/errors'

/** ISO 8601 with an offset: without one, a time means another moment everywhere. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** @throws BAD_REQUEST if the text of this field is no time */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (!moment.test(text) || Number.isNaN(time.getTime())) {
    throw new Failure('BAD_REQUEST', { detail: `${field} must be a time such as 2030-01-31T12:00:00Z.` })
  }
  return time
}

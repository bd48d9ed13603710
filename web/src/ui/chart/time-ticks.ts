const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Lines of a time axis are a whole number of these apart: hours, days, or months. */
const steps: readonly { millis: number; unit: 'hour' | 'day' | 'month'; count: number }[] = [
  { millis: HOUR, unit: 'hour', count: 1 },
  { millis: 3 * HOUR, unit: 'hour', count: 3 },
  { millis: 6 * HOUR, unit: 'hour', count: 6 },
  { millis: 12 * HOUR, unit: 'hour', count: 12 },
  { millis: DAY, unit: 'day', count: 1 },
  { millis: 2 * DAY, unit: 'day', count: 2 },
  { millis: 7 * DAY, unit: 'day', count: 7 },
  { millis: 14 * DAY, unit: 'day', count: 14 },
  { millis: 30 * DAY, unit: 'month', count: 1 },
  { millis: 91 * DAY, unit: 'month', count: 3 },
  { millis: 182 * DAY, unit: 'month', count: 6 },
  { millis: 365 * DAY, unit: 'month', count: 12 },
  { millis: 1_826 * DAY, unit: 'month', count: 60 },
]

/** A line of a time axis. */
export interface TimeTick {
  /** In milliseconds. */
  at: number
  /** What the axis says there: a time of the day, a day, or a year. */
  shows: 'hour' | 'day' | 'month' | 'year'
}

/** The lines of a time axis between two moments in milliseconds: at most `most`, at whole hours, days or months of the browser's time zone. */
export function timeTicks(from: number, to: number, most: number): TimeTick[] {
  const step = steps.find(({ millis }) => (to - from) / millis <= most) ?? steps.at(-1)
  if (!step || !(to > from)) return []
  const ticks: TimeTick[] = []
  for (let index = 0; ticks.length <= most + 1; index++) {
    const at = tickAt(from, index, step)
    if (at > to) break
    if (at >= from) ticks.push({ at, shows: showsAt(at, step.unit) })
  }
  return ticks.slice(0, most + 1)
}

function tickAt(from: number, index: number, { unit, count }: { unit: 'hour' | 'day' | 'month'; count: number }): number {
  const first = new Date(from)
  const [year, month, day] = [first.getFullYear(), first.getMonth(), first.getDate()]
  const steps = index * count
  if (unit === 'hour') return new Date(year, month, day, steps).getTime()
  if (unit === 'day') return new Date(year, month, day + steps).getTime()
  return new Date(year, month - (month % count) + steps, 1).getTime()
}

function showsAt(at: number, unit: 'hour' | 'day' | 'month'): TimeTick['shows'] {
  const time = new Date(at)
  if (unit === 'hour' && time.getHours() > 0) return 'hour'
  if (unit !== 'month') return 'day'
  return time.getMonth() === 0 ? 'year' : 'month'
}

/** Changes this small do not count as changes. */
const LEAST = 0.0005

const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })
const wholePercent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0 })

export type Direction = 'up' | 'down' | 'even'

/** Whether a price rose or fell, given the change as a fraction. */
export function directionOf(change: number): Direction {
  if (Math.abs(change) < LEAST) return 'even'
  return change > 0 ? 'up' : 'down'
}

/** A change without its sign: 0.0251 becomes "2.5%". */
export function changeText(change: number): string {
  const size = Math.abs(change)
  return (size < 1 ? percent : wholePercent).format(size)
}

/** A change in words: "up 2.5%". */
export function changeWords(change: number): string {
  const direction = directionOf(change)
  return direction === 'even' ? 'unchanged' : `${direction} ${changeText(change)}`
}

import { formatDecimal } from '../ui/format.ts'

const looks: Record<Direction, { color: string; sign: string }> = {
  up: { color: 'text-good', sign: '▲' },
  down: { color: 'text-fall', sign: '▼' },
  even: { color: 'text-dim', sign: '' },
}

/** How far a price moved, as a fraction: shown with an arrow, and in words for screen readers. `over` names the period. */
export function Change({ change, over, className = '' }: { change: number; over: string; className?: string }) {
  const { color, sign } = looks[directionOf(change)]
  return (
    <span className={`figures font-semibold whitespace-nowrap ${color} ${className}`}>
      <span aria-hidden="true">
        {sign && <span className="text-[0.75em]">{sign} </span>}
        {changeText(change)}
      </span>
      <span className="sr-only">
        {changeWords(change)} {over}
      </span>
    </span>
  )
}

/** Changes this small do not count as changes. */
const LEAST = 0.0005

type Direction = 'up' | 'down' | 'even'

/** Whether a price rose or fell, given the change as a fraction. */
function directionOf(change: number): Direction {
  if (Math.abs(change) < LEAST) return 'even'
  return change > 0 ? 'up' : 'down'
}

/** A change without its sign: 0.0251 becomes "2.5%". */
export function changeText(change: number): string {
  const size = Math.abs(change)
  return `${formatDecimal(size * 100, size < 1 ? 1 : 0)}%`
}

/** A change in words: "up 2.5%". */
export function changeWords(change: number): string {
  const direction = directionOf(change)
  return direction === 'even' ? 'unchanged' : `${direction} ${changeText(change)}`
}

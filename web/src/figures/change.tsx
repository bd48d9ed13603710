import { changeText, changeWords, type Direction, directionOf } from './change-text.ts'

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

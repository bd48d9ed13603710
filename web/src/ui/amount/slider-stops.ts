const EVERY_ONE = 10
/** Beyond that: round numbers at distances that grow along, so that a short slider reaches far. */
const ROUND = [1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** The whole numbers from 1 to `max` that a slider stops at. */
export function sliderStops(max: number): number[] {
  const stops = Array.from({ length: Math.min(max, EVERY_ONE) }, (_, index) => index + 1)
  for (let scale = EVERY_ONE; scale < max; scale *= 10) {
    for (const round of ROUND) if (Math.round(round * scale) < max) stops.push(Math.round(round * scale))
  }
  if (max > EVERY_ONE) stops.push(max)
  return stops
}

/** Where a number is on a slider with these stops: at the last one that is not above it. */
export function stopAt(stops: readonly number[], value: number): number {
  return Math.max(
    0,
    stops.findLastIndex((stop) => stop <= value),
  )
}

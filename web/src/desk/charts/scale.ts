const STEPS = [1, 2, 2.5, 5, 10]

/** The smallest round number not below `highest`, for the top of a chart; 1 if there is nothing to show. */
export function roundTop(highest: number): number {
  if (!(highest > 0)) return 1
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const step = STEPS.find((candidate) => candidate * magnitude >= highest * (1 - Number.EPSILON)) ?? 10
  return Number((step * magnitude).toPrecision(3))
}

/** The positions of a chart's bars, in pixels from its left edge: up to a third of each slot stays free. */
export function barPlaces(count: number, width: number): { x: number; width: number }[] {
  const place = width / Math.max(1, count)
  const bar = Math.max(1, Math.min(place * 0.7, 40))
  return Array.from({ length: count }, (_, index) => ({ x: index * place + (place - bar) / 2, width: bar }))
}

/**
 * A line through the values, as an SVG path. It has gaps for missing values.
 *
 * @returns the lines, and the single points between gaps, which no line would show
 */
export function linePath(
  values: readonly (number | null)[],
  { width, height, top }: { width: number; height: number; top: number },
): { path: string; lone: { x: number; y: number }[] } {
  const place = width / Math.max(1, values.length)
  const points = values.map((value, index) =>
    value === null ? undefined : { x: round((index + 0.5) * place), y: round(height - (value / top) * height) },
  )
  const parts = points.flatMap((point, index) => (point ? [`${points[index - 1] ? 'L' : 'M'}${point.x} ${point.y}`] : []))
  const lone = points.filter((point, index) => point !== undefined && !points[index - 1] && !points[index + 1])
  return { path: parts.join(''), lone: lone.filter((point) => point !== undefined) }
}

/** The place of a chart that is nearest to `x`, in pixels from its left edge. */
export function placeAt(x: number, { count, width }: { count: number; width: number }): number {
  return Math.max(0, Math.min(count - 1, Math.floor((x / width) * count)))
}

/** A tenth of a pixel is finer than anyone can see. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

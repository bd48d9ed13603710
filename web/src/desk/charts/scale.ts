const STEPS = [1, 2, 2.5, 5, 10]

/** The least round number that is no smaller than `highest`, for the top of a chart; 1 if there is nothing to show. */
export function roundTop(highest: number): number {
  if (!(highest > 0)) return 1
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const step = STEPS.find((candidate) => candidate * magnitude >= highest * (1 - Number.EPSILON)) ?? 10
  return Number((step * magnitude).toPrecision(3))
}

/** Where the bars of a chart stand, in pixels from its left edge: up to a third of each place stays free. */
export function barPlaces(count: number, width: number): { x: number; width: number }[] {
  const place = width / Math.max(1, count)
  const bar = Math.max(1, Math.min(place * 0.7, 40))
  return Array.from({ length: count }, (_, index) => ({ x: index * place + (place - bar) / 2, width: bar }))
}

/**
 * A line through the values, in the words of SVG. It has a gap where a value is missing.
 *
 * @returns the lines, and the points that stand alone between gaps, which no line would show
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

/** A tenth of a pixel is as fine as anybody sees. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

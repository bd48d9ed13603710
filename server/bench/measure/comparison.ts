/** One run: its throughput, and the duration of each operation in milliseconds, ascending. */
export interface Sample {
  perSecond: number
  millis: number[]
}

/** A line of the table. `ratio` is ours divided by the reference's: the median of all pairs. */
export interface Line {
  name: string
  reference: string
  ours: number
  theirs: number
  unit: string
  ratio: number
  /** Half of the pairs' ratios lie between these. */
  spread?: [number, number]
  goal: { least: number } | { most: number }
  p50: number
  p99: number
}

interface Named {
  name: string
  reference: string
  unit: string
  goal: Line['goal']
}

interface Comparison extends Named {
  ours: () => Promise<Sample>
  theirs: () => Promise<Sample>
}

/** Runs the reference and the product alternately, so that both see the same machine, whatever else it is doing. */
export async function compare(comparison: Comparison, pairs: number): Promise<Line> {
  const ours: Sample[] = []
  const theirs: Sample[] = []
  await comparison.theirs()
  await comparison.ours()
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2) ours.push(await comparison.ours())
    theirs.push(await comparison.theirs())
    if (pair % 2 === 0) ours.push(await comparison.ours())
  }
  return lineOf(comparison, ours, theirs)
}

/** The line of samples that were taken in turn: the pairs are those of the same place. */
export function lineOf({ name, reference, unit, goal }: Named, ours: readonly Sample[], theirs: readonly Sample[]): Line {
  const millis = ours.flatMap((sample) => sample.millis).sort((a, b) => a - b)
  const ratios = ours.map((sample, pair) => sample.perSecond / (theirs[pair]?.perSecond ?? NaN)).sort((a, b) => a - b)
  return {
    name,
    reference,
    ours: median(ours.map((sample) => sample.perSecond)),
    theirs: median(theirs.map((sample) => sample.perSecond)),
    unit,
    ratio: median(ratios),
    spread: [percentile(ratios, 0.25), percentile(ratios, 0.75)],
    goal,
    p50: percentile(millis, 0.5),
    p99: percentile(millis, 0.99),
  }
}

/** A line of what happened in a second as one of how many milliseconds each took. */
export function asMillis(line: Line): Line {
  const [low, high] = line.spread ?? [NaN, NaN]
  return { ...line, ours: 1000 / line.ours, theirs: 1000 / line.theirs, ratio: 1 / line.ratio, spread: [1 / high, 1 / low] }
}

/** Does the work `count` times, `concurrency` at a time. */
export async function runConcurrently(count: number, concurrency: number, work: (turn: number) => Promise<unknown>): Promise<Sample> {
  const millis: number[] = []
  let turn = 0
  const started = performance.now()
  const worker = async () => {
    while (turn < count) {
      const at = performance.now()
      await work(turn++)
      millis.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { perSecond: count / ((performance.now() - started) / 1000), millis }
}

function median(values: number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

/** A percentile, from 0 to 1, of ascending values; NaN if there are none. */
export function percentile(ascending: number[], fraction: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * fraction))] ?? NaN
}

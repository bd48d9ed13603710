/** One run: how much was done a second, and how long each took, in milliseconds, ascending. */
export interface Sample {
  perSecond: number
  millis: number[]
}

/** A line of the table. `ratio` is ours by the reference's: the median of all pairs. */
export interface Line {
  name: string
  reference: string
  ours: number
  theirs: number
  unit: string
  ratio: number
  goal: { least: number } | { most: number }
  p50: number
  p99: number
}

interface Contest {
  name: string
  reference: string
  unit: string
  goal: Line['goal']
  ours: () => Promise<Sample>
  theirs: () => Promise<Sample>
}

/** Runs reference and product in turn, changing who is first: both see the same machine, whatever else it does meanwhile. */
export async function compare(contest: Contest, pairs: number): Promise<Line> {
  const ours: Sample[] = []
  const theirs: Sample[] = []
  await contest.theirs()
  await contest.ours()
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2) ours.push(await contest.ours())
    theirs.push(await contest.theirs())
    if (pair % 2 === 0) ours.push(await contest.ours())
  }
  const millis = ours.flatMap((sample) => sample.millis).sort((a, b) => a - b)
  return {
    name: contest.name,
    reference: contest.reference,
    ours: median(ours.map((sample) => sample.perSecond)),
    theirs: median(theirs.map((sample) => sample.perSecond)),
    unit: contest.unit,
    ratio: median(ours.map((sample, pair) => sample.perSecond / (theirs[pair]?.perSecond ?? NaN))),
    goal: contest.goal,
    p50: percentile(millis, 0.5),
    p99: percentile(millis, 0.99),
  }
}

/** Does `work` for each of `count` turns, `lanes` at a time. */
export async function runLanes(count: number, lanes: number, work: (turn: number) => Promise<unknown>): Promise<Sample> {
  const millis: number[] = []
  let turn = 0
  const started = performance.now()
  const lane = async () => {
    while (turn < count) {
      const at = performance.now()
      await work(turn++)
      millis.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { perSecond: count / ((performance.now() - started) / 1000), millis }
}

function median(values: number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

/** Of ascending values; NaN where there are none. */
export function percentile(ascending: number[], part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? NaN
}

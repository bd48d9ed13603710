/** The labels of one series, by name. */
export type Labels = Readonly<Record<string, string>>

/** One line: a value of a family, or of one of its buckets. */
export interface Sample {
  /** What follows the family's name, such as `_bucket`. */
  suffix?: '_bucket' | '_sum' | '_count'
  labels?: Labels
  value: number
}

/** All series of one name. */
export interface Family {
  name: string
  /** One line of description. */
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Empty if nothing is known: a missing value is never reported as zero. */
  samples: readonly Sample[]
}

/** Of Prometheus' text format, version 0.0.4. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Families in Prometheus' text format. */
export function renderFamilies(families: readonly Family[]): string {
  return families.map(renderFamily).join('')
}

function renderFamily({ name, help, type, samples }: Family): string {
  const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${renderValue(value)}\n`)
  return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function renderLabels(labels: Labels = {}): string {
  const rendered = Object.entries(labels).map(([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`)
  return rendered.length === 0 ? '' : `{${rendered.join(',')}}`
}

function renderValue(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

/** A count that only grows. Frequent callers keep it, which saves looking it up. */
export interface Count {
  value: number
}

/** Counts of one name, one for each combination of its labels' values: those must be few, and known beforehand. */
export class Counter {
  readonly #about: Omit<Family, 'type' | 'samples'>
  readonly #labelNames: readonly string[]
  readonly #counts = new Map<string, { labels: Labels; count: Count }>()

  constructor(name: string, help: string, labelNames: readonly string[] = []) {
    this.#about = { name, help }
    this.#labelNames = labelNames
    // So that its first increase is seen as one.
    if (labelNames.length === 0) this.of()
  }

  /** @param values of its labels, in their order */
  of(...values: readonly string[]): Count {
    const key = values.join('\n')
    const known = this.#counts.get(key)
    if (known) return known.count
    const count = { value: 0 }
    this.#counts.set(key, { labels: labelsOf(this.#labelNames, values), count })
    return count
  }

  family(): Family {
    return {
      ...this.#about,
      type: 'counter',
      samples: [...this.#counts.values()].map(({ labels, count }) => ({ labels, value: count.value })),
    }
  }
}

/** How often values fell into which bucket, and their sum. */
export class Distribution {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += value
  }

  samples(labels: Labels): Sample[] {
    let total = 0
    const buckets = this.#counts.map((count, bucket): Sample => {
      total += count
      const bound = this.#bounds[bucket]
      return { suffix: '_bucket', labels: { ...labels, le: bound === undefined ? '+Inf' : String(bound) }, value: total }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: total }]
  }
}

/** Distributions of one name, without a label or with one. */
export class Histogram {
  readonly #about: Omit<Family, 'type' | 'samples'>
  readonly #labelNames: readonly string[]
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, Distribution>()

  /** @param bounds of its buckets, ascending */
  constructor(name: string, help: string, { bounds, labelName }: { bounds: readonly number[]; labelName?: string }) {
    this.#about = { name, help }
    this.#labelNames = labelName === undefined ? [] : [labelName]
    this.#bounds = bounds
    if (labelName === undefined) this.of()
  }

  of(value = ''): Distribution {
    const known = this.#distributions.get(value)
    if (known) return known
    const distribution = new Distribution(this.#bounds)
    this.#distributions.set(value, distribution)
    return distribution
  }

  family(): Family {
    const samples = [...this.#distributions].flatMap(([value, each]) => each.samples(labelsOf(this.#labelNames, [value])))
    return { ...this.#about, type: 'histogram', samples }
  }
}

function labelsOf(names: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

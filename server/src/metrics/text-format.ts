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

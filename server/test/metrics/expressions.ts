/** A series as an expression names it, and the labels that the expression needs of it. */
export interface NamedSeries {
  name: string
  labels: string[]
}

/** Words of PromQL that are no series. */
const words = new Set(
  'sum max min by on and or unless rate increase changes time histogram_quantile min_over_time group_left ignoring without'.split(' '),
)
const selector = /(?<![a-z0-9_])([a-z_][a-z0-9_]*)(\{[^}]*\})?/g
const grouping = /\b(?:by|on)\s*\(([^)]*)\)/g

/** Every series of a PromQL expression, with the labels that it matches. */
export function seriesOf(expression: string): NamedSeries[] {
  const durations = /\[\d+[smhd]\]/g
  const text = expression.replaceAll(grouping, ' ').replaceAll(durations, '')
  return [...text.matchAll(selector)]
    .filter(([, name = '']) => !words.has(name))
    .map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, key = '']) => key),
    }))
}

/** The labels by which an expression groups or joins. */
export function groupsOf(expression: string): string[] {
  return [...expression.matchAll(grouping)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim())).filter(Boolean)
}

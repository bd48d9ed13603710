/** One line of a scrape. */
export interface ParsedSample {
  /** With `_bucket`, `_sum` or `_count`. */
  name: string
  labels: Record<string, string>
  value: number
}

export interface ParsedFamily {
  name: string
  type: string
  help: string
  samples: ParsedSample[]
}

const comment = /^# (HELP|TYPE) (\S+) (.+)$/
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(,|$)/y
const escapes: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }
const values: Record<string, number> = { '+Inf': Infinity, '-Inf': -Infinity, NaN: NaN }

/** Reads Prometheus' text format strictly. @throws Error at the first line that is not of it */
export function parseMetrics(text: string): ParsedFamily[] {
  const families: ParsedFamily[] = []
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', words = ''] = comment.exec(line) ?? []
    if (kind === 'HELP') {
      if (families.some((family) => family.name === name)) throw new Error(`${name} comes twice`)
      families.push({ name, help: unescape(words), type: '', samples: [] })
      continue
    }
    const family = families.at(-1)
    if (!family) throw new Error(`no family before: ${line}`)
    if (kind === 'TYPE') {
      if (family.name !== name || family.type !== '') throw new Error(`a type without its help: ${line}`)
      family.type = words
    } else family.samples.push(parseSample(line, family))
  }
  return families
}

function parseSample(line: string, family: ParsedFamily): ParsedSample {
  const [, name = '', labels = '', value = ''] = sample.exec(line) ?? []
  const suffix = name.slice(family.name.length)
  const fits = name.startsWith(family.name) && (family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).includes(suffix)
  if (!fits || family.type === '') throw new Error(`no sample of ${family.name}: ${line}`)
  const number = values[value] ?? Number(value)
  if (Number.isNaN(number) && value !== 'NaN') throw new Error(`no number: ${line}`)
  return { name, labels: parseLabels(labels), value: number }
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < text.length) {
    const at = label.lastIndex
    const [, name = '', value = ''] = label.exec(text) ?? []
    if (name === '' || name in labels) throw new Error(`labels that cannot be read: ${text.slice(at)}`)
    labels[name] = unescape(value)
  }
  return labels
}

function unescape(text: string): string {
  return text.replaceAll(/\\./g, (escaped) => escapes[escaped] ?? escaped)
}

/** The value of a series, by the name of its sample and its labels; undefined if the scrape lacks it. */
export function valueOf(families: readonly ParsedFamily[], name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels)
  const found = families
    .flatMap(({ samples }) => samples)
    .filter((each) => each.name === name && wanted.every(([key, value]) => each.labels[key] === value))
  if (found.length > 1) throw new Error(`${found.length} series fit ${name} ${JSON.stringify(labels)}`)
  return found[0]?.value
}

/** Scrapes a server, as Prometheus does. */
export async function scrape(url: string): Promise<ParsedFamily[]> {
  const reply = await fetch(url)
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
  return parseMetrics(await reply.text())
}

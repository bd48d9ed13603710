import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readTable, readText } from '../docs/repository.ts'
import { type ExercisedServer, startExercised } from './exercised-server.ts'
import { type ParsedFamily, scrape } from './parsed-metrics.ts'

interface Alert {
  name: string
  expression: string
  fields: string
}

/** What other exporters serve, and Prometheus itself. */
const foreign = new Set('up probe_success probe_ssl_earliest_cert_expiry node_filesystem_avail_bytes node_filesystem_size_bytes'.split(' '))
/** What Prometheus adds to every series, and a histogram to its buckets. */
const added = new Set(['job', 'instance', 'le'])

let server: ExercisedServer
let families: ParsedFamily[]
let alerts: Alert[]
let panels: { name: string; expression: string }[]

beforeAll(async () => {
  server = await startExercised()
  families = await scrape(server.url)
  alerts = (await readText('deploy/prometheus/alerts.yml'))
    .split('- alert: ')
    .slice(1)
    .map((fields) => ({ name: /^\S+/.exec(fields)?.[0] ?? '', expression: /expr: '(.*)'$/m.exec(fields)?.[1] ?? '', fields }))
  const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
    await readText('deploy/grafana/juicebar.json'),
  )
  panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ name: title, expression: expr })))
})
afterAll(() => server.stop())

/** A series as an expression names it, and the labels that the expression needs of it. */
interface NamedSeries {
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
function seriesOf(expression: string): NamedSeries[] {
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
function groupsOf(expression: string): string[] {
  return [...expression.matchAll(grouping)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim())).filter(Boolean)
}

/** Which series, or which labels of them, the scrape does not have. */
function missingIn(expression: string): string[] {
  const missing: string[] = []
  const known = new Set<string>()
  for (const { name, labels } of seriesOf(expression)) {
    if (foreign.has(name)) continue
    const family = families.find((each) => each.name === name || `${each.name}_bucket` === name)
    if (!family) missing.push(name)
    const own = new Set(family?.samples.flatMap((sample) => Object.keys(sample.labels)))
    for (const label of own) known.add(label)
    missing.push(...labels.filter((label) => !own.has(label) && !added.has(label)).map((label) => `${name}{${label}}`))
  }
  return [...missing, ...groupsOf(expression).filter((label) => !known.has(label) && !added.has(label))]
}

/** Those of alerts or panels that ask for more than the scrape has, and for what. */
const incomplete = (asking: readonly { name: string; expression: string }[]) =>
  asking.map(({ name, expression }) => ({ name, missing: missingIn(expression) })).filter(({ missing }) => missing.length > 0)

/** The units that names may end with, for Prometheus' base units. */
const units = /_(?:seconds|bytes|ratio|lamports|requests_per_second)(?:_total)?$/
/** Names that count things, or say whether something is so. */
const unitless = /_(?:total|info|up|used|paused|max|waiting|connections|streams|webhooks|cases|for_studio)$/
/** Each with few values that are known beforehand. */
const boundedLabels = new Set('route status code reason kind token_type outcome endpoint pool state due source version node le'.split(' '))

describe('the names', () => {
  it('have the prefix, their unit, a help of one sentence, and labels with few values', () => {
    expect(families.length).toBeGreaterThan(40)
    for (const { name, type, help, samples } of families) {
      expect(name).toMatch(/^juicebar_[a-z]+(?:_[a-z]+)*$/)
      expect(units.test(name) || unitless.test(name), `${name} tells its unit`).toBe(true)
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
      expect(help).toMatch(/^[A-Z].{10,250}\.$/)
      const series = samples.map((sample) => `${sample.name} ${JSON.stringify(sample.labels)}`)
      expect(new Set(series).size, `${name} has each series once`).toBe(series.length)
      for (const { labels } of samples) {
        expect(Object.keys(labels).filter((label) => !boundedLabels.has(label))).toEqual([])
        // No path, no address of a wallet, no URL.
        for (const value of Object.values(labels)) expect(value).toMatch(/^[\w.+:-]{1,40}$/)
      }
    }
  })
})

describe('the alerts', () => {
  it('are many, each with an expression and a severity', () => {
    expect(alerts.length).toBeGreaterThan(20)
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length)
    for (const { expression, fields } of alerts) {
      expect(expression).not.toBe('')
      expect(fields).toMatch(/severity: (?:page|ticket)\n/)
    }
  })

  it('ask only for series and labels that a real scrape has', () => {
    expect(incomplete(alerts)).toEqual([])
  })

  it('each have a row that says what to do, where their runbook points', async () => {
    const rows = readTable(await readText('docs/run.md'), '## Alerts')
    const anchors = alerts.map(({ name }) => `<a id="${name.toLowerCase()}"></a>\`${name}\``)
    expect(rows.map(([anchor = '']) => anchor).toSorted()).toEqual(anchors.toSorted())
    for (const { name, fields } of alerts) expect(fields).toContain(`runbook: docs/run.md#${name.toLowerCase()}\n`)
    expect(rows.filter(([, happens = '', answer = '']) => `${happens}${answer}`.length < 80)).toEqual([])
  })
})

describe('the dashboard', () => {
  it('asks only for series and labels that a real scrape has', () => {
    expect(panels.length).toBeGreaterThan(20)
    expect(incomplete(panels)).toEqual([])
  })

  it('shows every series that the server has', () => {
    const shown = new Set(panels.flatMap(({ expression }) => seriesOf(expression).map(({ name }) => name.replace(/_bucket$/, ''))))
    expect(families.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([])
  })
})

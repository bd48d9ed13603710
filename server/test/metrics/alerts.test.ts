import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readText } from '../docs/repository.ts'
import { groupsOf, seriesOf } from './expressions.ts'
import { type ExercisedServer, startExercised } from './exercised-server.ts'
import { type ParsedFamily, scrape } from './parsed-metrics.ts'

interface Alert {
  name: string
  expression: string
  fields: string
}

/** What other exporters serve, and Prometheus itself. */
const foreign = new Set([
  'up',
  'probe_success',
  'probe_ssl_earliest_cert_expiry',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
])
/** What Prometheus adds to every series, and a histogram to its buckets. */
const added = new Set(['job', 'instance', 'le'])

let server: ExercisedServer
let families: ParsedFamily[]
let alerts: Alert[]
let panels: { title: string; expression: string }[]

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
  panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expression: expr })))
})
afterAll(() => server.stop())

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
    expect(
      alerts.map(({ name, expression }) => ({ name, missing: missingIn(expression) })).filter(({ missing }) => missing.length > 0),
    ).toEqual([])
  })

  it('each have a paragraph that says what to do, where their runbook points', async () => {
    const operations = await readText('docs/operations.md')
    for (const { name, fields } of alerts) {
      expect(fields).toContain(`runbook: docs/operations.md#${name.toLowerCase()}\n`)
      const [, section = ''] = operations.split(`\n### ${name}\n`)
      const paragraph = section.split('\n#')[0] ?? ''
      expect(paragraph.length, `the paragraph of ${name}`).toBeGreaterThan(80)
    }
    const described = [...operations.matchAll(/^### (Juicebar\w+)$/gm)].map(([, name]) => name)
    expect(new Set(described)).toEqual(new Set(alerts.map(({ name }) => name)))
  })
})

describe('the dashboard', () => {
  it('asks only for series and labels that a real scrape has', () => {
    expect(panels.length).toBeGreaterThan(20)
    expect(
      panels.map(({ title, expression }) => ({ title, missing: missingIn(expression) })).filter(({ missing }) => missing.length > 0),
    ).toEqual([])
  })

  it('shows every series that the server has', () => {
    const shown = new Set(panels.flatMap(({ expression }) => seriesOf(expression).map(({ name }) => name.replace(/_bucket$/, ''))))
    expect(families.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([])
  })
})

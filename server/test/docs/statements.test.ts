import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ClusterPlan, etcdSettings, haproxyConfig, patroniConfig } from '../../chaos/patroni/recipe.ts'
import { limits } from '../../src/http/rate-limits.ts'
import { readConfig } from '../../src/config.ts'
import { listFiles, readTable, readText, root } from './repository.ts'

const code = /^```[\s\S]*?^```|`[^`\n]*`/gm
const link = /\]\(([^)\s]+)\)/g
const heading = /^#+ (.+)$/gm
const elsewhere = /^[a-z]+:/

/** Where a link leads: a file of this repository and a section of it. */
interface Target {
  path: string
  section: string | undefined
}

function targetsOf(path: string, markdown: string): Target[] {
  const links = [...markdown.replaceAll(code, '').matchAll(link)].map(([, target = '']) => target)
  const local = links.filter((target) => !elsewhere.test(target)).map((target) => target.split('#'))
  return local.map(([file = '', section]) => ({ path: file === '' ? path : join(dirname(path), file), section }))
}

/** The anchor that GitHub gives a heading. */
function slug(title: string): string {
  const plain = title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  return plain.replaceAll(' ', '-')
}

async function hasSection(path: string, section: string): Promise<boolean> {
  const titles = [...(await readText(path)).replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(heading)].map(([, title = '']) => slug(title))
  return titles.includes(section)
}

it.each(listFiles('.md'))('every link in %s leads somewhere', async (path) => {
  const dead: string[] = []
  for (const { path: target, section } of targetsOf(path, await readText(path))) {
    if (!existsSync(join(root, target))) dead.push(target)
    else if (section !== undefined && !(await hasSection(target, section))) dead.push(`${target}#${section}`)
  }
  expect(dead).toEqual([])
})

describe('docs/dependencies.md', () => {
  it.each(listFiles('package.json'))('has one line for each dependency of %s', async (path) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(await readText(path))
    const named = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const page = await readText('docs/dependencies.md')
    const heading = page.split('\n').find((line) => line.startsWith('## ') && line.endsWith(`(\`${path}\`)`))
    expect(heading, `a section for ${path}`).toBeDefined()
    const listed = readTable(page, heading ?? '').map(([name = '']) => name.replaceAll('`', ''))
    expect(listed.toSorted()).toEqual(named.toSorted())
  })
})

it('every test that docs/threat-model.md names exists', async () => {
  const rows = (await readText('docs/threat-model.md')).split('\n').filter((line) => line.startsWith('| '))
  const named = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path))
  expect(named.length).toBeGreaterThan(80)
  const endings = ['', '.test.ts', '.full.test.ts']
  const fileOf = (path: string) => join(root, path.startsWith('web/') ? '' : 'server/test', path)
  const dead = named.filter((path) => !endings.some((ending) => existsSync(fileOf(path) + ending)))
  expect(dead).toEqual([])
})

it('CONTRIBUTING.md names files that exist, for changes that each touch four at most', async () => {
  const rows = readTable(await readText('CONTRIBUTING.md'), '## Where to change what')
  expect(rows.length).toBeGreaterThan(25)
  // Every feature has its own `routes.ts`.
  const isPath = (name: string) => name !== 'routes.ts' && (name.includes('/') || /\.(?:ts|md)$/.test(name))
  const wrong = rows.flatMap(([change, where = '']) => {
    const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).filter(isPath)
    const missing = paths.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, 'server/src', path)))
    return [...missing.map((path) => `${change}: there is no ${path}`), ...(paths.length > 4 ? [`${change}: ${paths.length} files`] : [])]
  })
  expect(wrong).toEqual([])
})

it('the table of limits in docs/api.md is true', async () => {
  const expected = Object.values(limits)
  // Another table follows.
  const rows = readTable(await readText('docs/api.md'), '## Limits').slice(0, expected.length)
  const numbers = rows.map(([, address = '', wallet = '']) =>
    [address, wallet].map((cell) => Number(/[\d,]+/.exec(cell)?.[0].replaceAll(',', '') ?? Number.NaN)),
  )
  const perCaller = (limit: { perAddress: number; perWallet?: number; perKey?: number }) => limit.perWallet ?? limit.perKey ?? Number.NaN
  expect(numbers).toEqual(expected.map((limit) => [limit.perAddress, perCaller(limit)]))
})

/** A setting's name where the source reads it: `read.text('DATA_DIR')`, `env['JWT_SECRET']`. */
const readings = /\(\s*'([A-Z][A-Z_]+)'/g

const usual = readConfig({})

/** The defaults as the README writes them. The other settings are generated or replace a built-in part. */
const defaults: Record<string, string> = {
  PORT: String(usual.port),
  HOST: usual.host,
  PUBLIC_ORIGIN: usual.publicOrigin.replace(String(usual.port), 'PORT'),
  PRODUCT_NAME: usual.productName,
  TRUST_PROXY: usual.trustProxy === false ? 'off' : '',
  DATA_DIR: usual.dataDir,
  DATABASE_CONNECTIONS: String(usual.databaseConnections),
  DEMO: usual.demo ? 'on' : 'off',
  DEMO_SEED: usual.demoSeed ? 'on' : 'off',
  SETTLE_AT: usual.settleAt,
  HOLD_SECONDS: String(usual.holdSeconds),
  CO_SIGN: usual.coSign ? 'on' : 'off',
  WALLET_SENDS: usual.walletSends,
  MARKET_FEE_BPS: String(usual.fee.basisPoints),
  WEBHOOK_ALLOW_PRIVATE: usual.webhookAllowPrivate ? 'on' : 'off',
  DRAIN_SECONDS: String(usual.drainSeconds),
  LOG_LEVEL: usual.logLevel,
}

/** The settings of the README, with their defaults. */
async function documented(): Promise<Map<string, string>> {
  const rows = readTable(await readText('README.md'), '## Settings')
  return new Map(rows.map(([name = '', value = '']) => [name.replaceAll('`', ''), /`([^`]+)`/.exec(value)?.[1] ?? '']))
}

describe('the settings table of the README', () => {
  it('has every setting that the server reads, and no other', async () => {
    const read = [...(await readText('server/src/config.ts')).matchAll(readings)].map(([, name = '']) => name)
    expect([...(await documented()).keys()].toSorted()).toEqual([...new Set(read)].toSorted())
  })

  it('states the real defaults', async () => {
    const told = [...(await documented())].filter(([name]) => name in defaults)
    expect(Object.fromEntries(told)).toEqual(defaults)
  })
})

const hosts = ['10.0.0.11', '10.0.0.12', '10.0.0.13']

const database = { postgresPort: 5432, restPort: 8008, dataFolder: '/var/lib/postgresql/15/market' }
/** The cluster of the example. */
const example: ClusterPlan = {
  name: 'market',
  etcd: hosts.map((host, index) => ({ name: `etcd${index + 1}`, host, clientPort: 2379, peerPort: 2380 })),
  members: hosts.map((host, index) => ({ name: `db${index + 1}`, host, ...database })),
  network: '10.0.0.0/24',
  balancerPort: 5000,
  postgresFolder: '/usr/lib/postgresql/15/bin',
  passwords: { postgres: 'PASSWORD_OF_POSTGRES', replicator: 'PASSWORD_OF_REPLICATOR' },
}

async function readBlock(language: string): Promise<string | undefined> {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(await readText('docs/high-availability.md'))?.[1]
}

describe('docs/high-availability.md shows what npm run chaos -- --database patroni runs', () => {
  it('as etcd', async () => {
    const [first] = example.etcd
    const settings = Object.entries(etcdSettings(example, first!)).map(([name, value]) => `${name}="${value}"\n`)
    expect(await readBlock('ini')).toBe(settings.join(''))
  })

  it('as Patroni', async () => {
    expect(await readBlock('yaml')).toBe(patroniConfig(example, example.members[0]!))
  })

  it('as HAProxy', async () => {
    expect(await readBlock('haproxy')).toBe(haproxyConfig(example))
  })
})

import { basename, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { listFiles, readText, root } from './docs/repository.ts'

const features = ['catalogue', 'sign-in', 'inventory', 'restrictions', 'listings', 'market', 'realtime', 'studio', 'purchases', 'alerts']

/** A file whose name begins with one of these, and goes on, is an action. A new verb joins the list. */
const verbs =
  'admit announce apply broadcast cancel change check close collect confirm continue create decide deliver end invalidate log make mark open place poll post prepare prove purge read reconcile record refresh refund release remove request reserve rule run search send settle submit verify wait'.split(
    ' ',
  )

type Kind = 'routes' | 'store' | 'action' | 'noun'

function kindOf(file: string): Kind {
  const name = basename(file, '.ts')
  if (name.endsWith('routes')) return 'routes'
  if (name.endsWith('-store')) return 'store'
  const [verb = '', ...rest] = name.split('-')
  return rest.length > 0 && verbs.includes(verb) ? 'action' : 'noun'
}

interface Imported {
  from: string
  name: string
  isType: boolean
}

function importsOf(source: string): Imported[] {
  return [...source.matchAll(/^(?:import|export) (type )?([^']*?) from '([^']+)'/gms)].flatMap(([, type, names = '', from = '']) => {
    const list = names.replaceAll(/[{}]/g, '').split(',')
    return list
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => ({ from, name: name.replace(/^type /, ''), isType: type !== undefined || name.startsWith('type ') }))
  })
}

/** Whoever is given one of these can do I/O with it, although it is only a type. */
const handles = new Set(['Api', 'Chain', 'Database', 'EventFeed', 'FinalizedView', 'PurchaseDeps', 'Tx', 'pg'])
/** Everything else in Node.js and npm is out of reach of a noun. */
const purePackages = ['@juicebar/contract/', '@scure/base', 'fast-jwt', 'ipaddr.js', 'lru-cache', 'node:crypto', 'web-push']
const globalsWithEffects = /\b(?:fetch|setTimeout|setInterval|setImmediate)\(|\bprocess\./

const isLocal = ({ from }: Imported) => from.startsWith('.')
const isSql = ({ from }: Imported) => from === 'kysely' || from === 'pg'
const isStore = ({ from }: Imported) => isLocal({ from, name: '', isType: false }) && kindOf(from) === 'store'
const isFrom = (folder: string) => (imported: Imported) => isLocal(imported) && new RegExp(`/${folder}/`).test(imported.from)
const isPure = (imported: Imported) =>
  isLocal(imported)
    ? isFrom('chain')(imported) || (kindOf(imported.from) === 'noun' && !isFrom('database')(imported) && !isFrom('http')(imported))
    : purePackages.some((name) => imported.from.startsWith(name))

/** What is wrong with the imports of a file of this name. */
function complaints(file: string, source: string): string[] {
  const imports = importsOf(source)
  const values = imports.filter(({ isType }) => !isType)
  const say = (why: string, isWrong: (imported: Imported) => boolean, among = values) =>
    among.filter(isWrong).map(({ name, from }) => `${file}: ${why}, but imports ${name} from ${from}`)
  switch (kindOf(file)) {
    case 'routes':
      return say('routes are HTTP only', (it) => isSql(it) || isFrom('database')(it) || isFrom('chain')(it))
    case 'store':
      return say('a store is SQL only', (it) => !isSql(it) && !isFrom('database')(it) && !isStore(it) && !isPure(it))
    case 'action':
      return say('SQL is in stores', isSql)
    case 'noun': {
      // A file of types alone does nothing, whatever it describes.
      const acts = /^export (?:async )?(?:function|const|class)/m.test(source)
      const effects = globalsWithEffects.exec(source)?.[0]
      return [
        ...say('a noun does no I/O', (it) => !isPure(it)),
        ...say('a noun does no I/O', ({ name, isType }) => acts && isType && handles.has(name), imports),
        ...(effects === undefined ? [] : [`${file}: a noun does no I/O, but contains ${effects}`]),
      ]
    }
  }
}

describe('the name of a file in a feature', () => {
  it.each(features)('says what the files of %s may do', async (feature) => {
    const files = listFiles('.ts', join(root, 'server', 'src', feature))
    expect(files.length).toBeGreaterThan(0)
    expect((await Promise.all(files.map(async (file) => complaints(file, await readText(file))))).flat()).toEqual([])
  })

  it.each([
    ['inventory/amount.ts', `import { sql } from 'kysely'`],
    ['inventory/amount.ts', `import { readBalances } from './ledger-store.ts'`],
    ['inventory/amount.ts', `import { postStudioOrder } from './post-studio-order.ts'`],
    ['inventory/amount.ts', `import { inTransaction } from '../database/transact.ts'`],
    ['inventory/amount.ts', `import { readFile } from 'node:fs/promises'`],
    ['inventory/amount.ts', `import { type Tx } from '../database/transact.ts'\nexport async function amount(tx: Tx) {}`],
    ['inventory/amount.ts', `export const answer = () => fetch('http://localhost')`],
    ['inventory/ledger-store.ts', `import { postStudioOrder } from './post-studio-order.ts'`],
    ['inventory/ledger-store.ts', `import { setTimeout } from 'node:timers/promises'`],
    ['inventory/post-studio-order.ts', `import { sql } from 'kysely'`],
    ['inventory/routes.ts', `import { inTransaction } from '../database/transact.ts'`],
  ])('of %s forbids: %s', (file, source) => {
    expect(complaints(file, source)).toHaveLength(1)
  })

  it.each([
    ['inventory/amount.ts', `import { type Balances } from './ledger-store.ts'\nexport const none = 0`],
    ['inventory/deps.ts', `import { type Database } from '../database/connect.ts'\nexport interface Deps { database: Database }`],
    ['inventory/ledger-store.ts', `import { sql } from 'kysely'\nimport { listing } from '../listings/listing.ts'`],
    ['inventory/post-studio-order.ts', `import { inTransaction } from '../database/transact.ts'`],
  ])('of %s allows: %s', (file, source) => {
    expect(complaints(file, source)).toEqual([])
  })
})

describe('tests', () => {
  /** Sleeping in the words of Node.js, of Playwright and by hand. */
  const sleeping = /^import .* from 'node:timers\/promises'|waitForTimeout\(|new Promise\(.*=>\s*setTimeout\(/m

  it('wait for conditions, never for a while', async () => {
    const code = ['.ts', '.tsx', '.mjs'].flatMap((ending) => listFiles(ending))
    const tests = code.filter((path) => /\.(?:test|spec)\.\w+$/.test(path) && path !== 'server/test/file-names.test.ts')
    const found = await Promise.all(tests.map(async (path) => ((await readText(path)).match(sleeping) ? [path] : [])))
    expect(found.flat()).toEqual([])
  })
})

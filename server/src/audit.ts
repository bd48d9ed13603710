import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { type Audit } from '@juicebar/contract/schemas'

import { houseBrand } from './brand/brand.ts'
import { type Catalogue } from './catalogue/catalogue.ts'
import { readCatalogue } from './catalogue/read-catalogue.ts'
import { type Config, readConfig } from './settings/config.ts'
import { readStudioAccess, type StudioAccess } from './settings/studio-access.ts'
import { auditText } from './studio/audit/audit-text.ts'
import { exitCodeOf, NOT_CHECKED } from './studio/audit/exit-code.ts'

/** The same relative paths hold from `src` and from `dist`. */
const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))
const catalogueFile = fileURLToPath(new URL('../catalogue/catalogue.json', import.meta.url))
const POLL_MILLIS = 500
/** How often progress is printed if it cannot be overwritten. */
const LINE_MILLIS = 10_000
/** Waits for a restarting server: another server may continue its audit, or the same one once it is back. */
const AWAY_MILLIS = 120_000

/** The cause of a failure that may pass by itself. */
class Away extends Error {}

await main()

/**
 * Starts a money audit on the running server, shows how far it has come, and prints what it found on one screen. `--full` reads every
 * payment again; `--copy` does so itself, in a restored copy of the database that no server works on. Exits with 0 if everything was
 * checked and adds up, 1 if something does not add up, 2 if not everything could be checked.
 */
async function main(): Promise<void> {
  try {
    const { full, copy } = readArguments(process.argv.slice(2))
    const config = readConfig(process.env)
    const { surfaces } = houseBrand
    const catalogue = await readCatalogue(config.catalogue, { surfaces, house: catalogueFile })
    const audit = copy ? await auditHere(config, catalogue) : await auditOnServer(config, full)
    process.stdout.write(auditText(audit, catalogue.nameOf))
    process.exitCode = exitCodeOf(audit)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = NOT_CHECKED
  }
}

function readArguments(given: readonly string[]) {
  const unknown = given.find((argument) => argument !== '--full' && argument !== '--copy')
  if (unknown !== undefined) {
    const known = 'Its options are --full, which reads every payment again, and --copy, for a restored copy of the database.'
    fail(`The audit does not know ${unknown}. ${known}`, undefined)
  }
  return { full: given.includes('--full'), copy: given.includes('--copy') }
}

async function auditHere(config: Config, catalogue: Catalogue): Promise<Audit> {
  const { auditCopy } = await import('./command/audit-copy.ts')
  return auditCopy(config, { migrationsFolder, catalogue })
}

async function auditOnServer(config: Config, full: boolean): Promise<Audit> {
  const api = connect(await readStudioAccess(config))
  return untilDone(api, await api.start(full))
}

type StudioApi = ReturnType<typeof connect>

function connect({ origin, key }: StudioAccess) {
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Audit> => {
    const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const reply = await fetch(origin + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }).catch(
      (cause: unknown) => fail(`The product does not answer at ${origin}: is it running?`, new Away('no answer', { cause })),
    )
    if (!reply.ok) {
      const said = `The audit was refused with status ${reply.status}: ${await reply.text()}`
      fail(said, reply.status >= 500 || reply.status === 429 ? new Away(said) : undefined)
    }
    // Both sides of this call are this product, checked by the same schema.
    return ((await reply.json()) as { audit: Audit }).audit
  }
  return {
    start: (full: boolean) => call('POST', '/api/studio/audits', { full }),
    read: (id: string) => call('GET', `/api/studio/audits/${id}`),
  }
}

async function untilDone(api: StudioApi, started: Audit): Promise<Audit> {
  const show = createProgress()
  let answeredAt = performance.now()
  for (let audit = started; ;) {
    if (audit.status === 'done') {
      show.end()
      return audit
    }
    show.progress(audit)
    await sleep(POLL_MILLIS)
    try {
      audit = await api.read(audit.id)
      answeredAt = performance.now()
    } catch (error) {
      const passing = error instanceof Error && error.cause instanceof Away && performance.now() - answeredAt < AWAY_MILLIS
      if (!passing) throw error
    }
  }
}

/** Shows progress on standard error: in place on a terminal, otherwise as a line now and then. */
function createProgress() {
  const terminal = process.stderr.isTTY
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    progress: ({ progress: { checked, total } }: Audit) => {
      if (!terminal && performance.now() - shownAt < LINE_MILLIS) return
      shownAt = performance.now()
      const text = `${checked.toLocaleString('en')} of ${total.toLocaleString('en')} payments checked`
      process.stderr.write(terminal ? `\r${text}` : `${text}\n`)
    },
    end: () => void (terminal && process.stderr.write('\n')),
  }
}

function fail(sentence: string, cause: unknown): never {
  throw new Error(sentence, { cause })
}

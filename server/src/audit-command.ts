import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Audit } from '@juicebar/contract/schemas'
import { houseBrand } from './brand/brand.ts'
import { type Catalogue } from './catalogue/catalogue.ts'
import { readCatalogue } from './catalogue/read-catalogue.ts'
import { publicAuditText, publicExitCode } from './command/audit-public.ts'
import { type Config, readConfig } from './config.ts'
import { readStudioAccess, type StudioAccess } from './command/commands.ts'
import { auditText, exitCodeOf, NOT_CHECKED } from './studio/audit/audit.ts'

/** The same relative paths hold from `src` and from `dist`. */
const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))
const catalogueFile = fileURLToPath(new URL('../catalogue/catalogue.json', import.meta.url))
const POLL_MILLIS = 500
/** How often progress is printed if it cannot be overwritten. */
const LINE_MILLIS = 10_000
/** Waits for a restarting server: another server may continue its audit, or the same one once it is back. */
const AWAY_MILLIS = 120_000

const OPTIONS =
  'Its options are --full, which reads every payment again, --copy, for a restored copy of the database, and --public <address>, which ' +
  'compares what a market tells everybody with the chain, with --progress <file> for how far it has come.'

/** The cause of a failure that may pass by itself. */
class Away extends Error {}

await main()

/**
 * Starts a money audit on the running server, shows how far it has come, and prints what it found on one screen. `--full` reads every
 * payment again; `--copy` does so itself, in a restored copy of the database that no server works on; `--public` compares what any market
 * tells everybody with the chain. Exits with 0 if everything was checked and adds up, 1 if something does not add up, 2 if not everything
 * could be checked.
 */
async function main(): Promise<void> {
  try {
    const given = readArguments(process.argv.slice(2))
    const config = readConfig(process.env)
    if (given.market === undefined) await auditMoney(config, given)
    else await auditMarket(config, given.market, given.progress)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = NOT_CHECKED
  }
}

async function auditMoney(config: Config, { full, copy }: { full: boolean; copy: boolean }): Promise<void> {
  const { surfaces } = houseBrand
  const catalogue = await readCatalogue(config.catalogue, { surfaces, house: catalogueFile })
  const audit = copy ? await auditHere(config, catalogue) : await auditOnServer(config, full)
  process.stdout.write(auditText(audit, catalogue.nameOf))
  process.exitCode = exitCodeOf(audit)
}

async function auditMarket(config: Config, market: string, progress: string | undefined): Promise<void> {
  const { auditPublic } = await import('./command/audit-public.ts')
  const { origin, host } = new URL(market)
  const report = await auditPublic(config, origin, progress ?? `juicebar-audit-${host.replaceAll(/[^\w.-]/g, '-')}.json`)
  process.stdout.write(publicAuditText(report))
  process.exitCode = publicExitCode(report)
}

function readArguments(given: readonly string[]) {
  const options = {
    full: { type: 'boolean' },
    copy: { type: 'boolean' },
    public: { type: 'string' },
    progress: { type: 'string' },
  } as const
  const { tokens } = parseArgs({ args: [...given], options, strict: false, tokens: true })
  const unknown = tokens.find((token) => token.kind !== 'option' || !Object.hasOwn(options, token.name))
  if (unknown) fail(`The audit does not know ${given[unknown.index] ?? ''}. ${OPTIONS}`, undefined)
  const values = new Map(tokens.flatMap((token) => (token.kind === 'option' ? [[token.name, token.value] as const] : [])))
  const market = values.get('public')
  if (values.has('public') && !(market !== undefined && isWebAddress(market)))
    fail(`--public needs the address of a market. ${OPTIONS}`, undefined)
  return { full: values.has('full'), copy: values.has('copy'), market, progress: values.get('progress') }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
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

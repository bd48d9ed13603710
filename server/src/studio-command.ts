import {
  type CommandCall,
  helpText,
  readCommand,
  UsageError,
  replyText,
  typedCommand,
  readStudioAccess,
  type StudioAccess,
} from './command/commands.ts'
import { recover, recoverHelp } from './command/recover.ts'
import { readConfig } from './config.ts'

const REFUSED = 1
const NOT_UNDERSTOOD = 2
const REPLY_MILLIS = 60_000

const HELP = `${typedCommand('studio', '<command>')}

${helpText()}
${recoverHelp}

Each command but recover makes one call to the running product, at HOST and PORT, with STUDIO_API_KEY or the key in DATA_DIR. --json before the
command prints the reply as it came.
They end with 0 if it was done, 1 if it was refused or the product does not answer, 2 if the command was not understood.
`

/** What may pass by itself. */
class Away extends Error {}

await main(process.argv.slice(2))

/** The studio API on the command line. */
async function main(typed: readonly string[]): Promise<void> {
  try {
    const isJson = typed[0] === '--json'
    if (typed[0] === 'recover' && !typed.some((word) => word === '--help' || word === '-h')) {
      const access = await readStudioAccess(readConfig(process.env))
      process.exitCode = await recover(typed.slice(1), { send: (call) => send(access, call), isAway: (error) => error instanceof Away })
      return
    }
    const call = readCommand(isJson ? typed.slice(1) : typed)
    if (!call) return void process.stdout.write(HELP)
    const reply = await send(await readStudioAccess(readConfig(process.env)), call)
    process.stdout.write(`${isJson ? JSON.stringify(reply, undefined, 2) : replyText(reply)}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = error instanceof UsageError ? NOT_UNDERSTOOD : REFUSED
  }
}

async function send({ origin, key }: StudioAccess, { method, path, body }: CommandCall): Promise<unknown> {
  const reply = await fetch(`${origin}/api/studio${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(REPLY_MILLIS),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Away(`The product does not answer at ${origin}: is it running?`, { cause })
  })
  const text = await reply.text()
  const parsed = parseJson(text)
  if (!reply.ok) {
    const said = refusalText(reply.status, parsed) ?? `Refused with status ${reply.status}: ${text}`
    throw reply.status >= 500 || reply.status === 429 ? new Away(said) : new Error(said)
  }
  return parsed
}

/** An empty reply is null; a reply that is not JSON stays text. */
function parseJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

function refusalText(status: number, reply: unknown): string | undefined {
  if (typeof reply !== 'object' || reply === null || !('error' in reply) || !('code' in reply)) return undefined
  return `${String(reply.error)} (${status} ${String(reply.code)})`
}

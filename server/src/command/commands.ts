import { readFile } from 'node:fs/promises'
import { join, basename } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config } from '../config.ts'

/** The address at which the running server answers this machine's commands, and a key that it accepts. */
export interface StudioAccess {
  origin: string
  key: string
}

/** Reads them from the settings, or the key from the data folder. @throws Error with a sentence if there is no key */
export async function readStudioAccess({ host, port, studioApiKey, dataDir }: Config): Promise<StudioAccess> {
  return { origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, key: studioApiKey ?? (await readGeneratedKey(dataDir)) }
}

async function readGeneratedKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'STUDIO_API_KEY')
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`STUDIO_API_KEY is not set, and there is none in ${file}. Give this command the settings of the server.`, { cause })
  })
  return text.trim()
}

/**
 * How to type a command of this product: `npm run studio -- case list` in a checkout, `node start.mjs studio case list` in an archive,
 * whose machine may have no npm.
 *
 * @param words what follows the command, if anything
 * @param started the file that this process was started from
 */
export function typedCommand(command: 'audit' | 'studio', words = '', started = process.argv[1] ?? ''): string {
  if (basename(started) === 'start.mjs') return `node start.mjs ${command} ${words}`.trimEnd()
  return `npm run ${command}${words && ` -- ${words}`}`
}

/**
 * A reply for a person: a list as one block of lines for each item, a single thing as its fields. Nested values are shown as JSON.
 */
export function replyText(reply: unknown): string {
  if (!isRecord(reply)) return reply === null || reply === undefined ? 'Done.' : JSON.stringify(reply)
  const parts = Object.entries(reply).flatMap(([name, value]) => partText(name, value))
  return parts.length === 0 ? 'Done.' : parts.join('\n\n')
}

function partText(name: string, value: unknown): string[] {
  if (name === 'nextCursor') return typeof value === 'string' ? [`There are more: --cursor ${value}`] : []
  if (Array.isArray(value))
    return value.length === 0 ? [`no ${name}`] : value.map((item) => (isRecord(item) ? fieldsText(item) : valueText(item)))
  return [isRecord(value) ? fieldsText(value) : `${name}  ${valueText(value)}`]
}

function fieldsText(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${valueText(value)}`)
    .join('\n')
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  return typeof value === 'string' ? printable(value) : JSON.stringify(value)
}

/** Text from strangers must not control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A call of the studio API that a command makes. */
export interface CommandCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api/studio`, with its query. */
  path: string
  body?: Record<string, unknown>
}

/** The typed command cannot be understood. The message says what is expected. */
export class UsageError extends Error {}

interface Given {
  /** The words that the usage names, in their order. */
  words: string[]
  options: Readonly<Record<string, string | true>>
}

interface Command {
  usage: string
  does: string
  call: (given: Given) => CommandCall
}

/** What may follow a command, with `=` or as the next word. */
const options = {
  scopes: { type: 'string' },
  expires: { type: 'string' },
  'daily-credit-limit': { type: 'string' },
  name: { type: 'string' },
  reason: { type: 'string' },
  until: { type: 'string' },
  'remove-listings': { type: 'boolean' },
  status: { type: 'string' },
  wallet: { type: 'string' },
  signature: { type: 'string' },
  listing: { type: 'string' },
  cursor: { type: 'string' },
} as const

type Option = keyof typeof options

/** By their first two words. Each makes one call; what it needs is checked by the server, in its words. */
export const commands: Readonly<Record<string, Command>> = {
  'keys list': {
    usage: '[--cursor <cursor>]',
    does: 'list the studio keys, without their secrets',
    call: (given) => ({ method: 'GET', path: `/keys${query(given, { cursor: 'cursor' })}` }),
  },
  'keys create': {
    usage: '<name> --scopes read,credit [--daily-credit-limit 1000] [--expires 2030-01-31T00:00:00Z]',
    does: 'make a key, and print its secret this once',
    call: ({ words: [name], options: { scopes, expires, 'daily-credit-limit': limit } }) => ({
      method: 'POST',
      path: '/keys',
      body: {
        name,
        scopes: scopeList(scopes),
        ...(expires !== undefined && { expiresAt: expires }),
        ...(limit !== undefined && { dailyCreditLimit: wholeNumber('--daily-credit-limit', limit) }),
      },
    }),
  },
  'keys revoke': {
    usage: '<id>',
    does: 'revoke a key',
    call: ({ words }) => ({ method: 'DELETE', path: `/keys/${inPath(words[0])}` }),
  },
  'staff list': { usage: '', does: 'list the wallets that may use the desk', call: () => ({ method: 'GET', path: '/staff' }) },
  'staff show': {
    usage: '<wallet>',
    does: 'say what a wallet may do at the desk',
    call: ({ words }) => ({ method: 'GET', path: `/staff/${inPath(words[0])}` }),
  },
  'staff set': {
    usage: '<wallet> [--scopes read,cases,rules] [--name <name>] [--reason <reason>]',
    does: 'let a wallet use the desk, or change what it may do there',
    call: ({ words, options: { scopes, name, reason } }) => ({
      method: 'PUT',
      path: `/staff/${inPath(words[0])}`,
      body: {
        ...(scopes !== undefined && { scopes: scopeList(scopes) }),
        ...(name !== undefined && { name }),
        ...(reason !== undefined && { reason }),
      },
    }),
  },
  'staff remove': {
    usage: '<wallet> [--reason <reason>]',
    does: 'keep a wallet from using the desk, even if the settings name it',
    call: (given) => ({ method: 'DELETE', path: `/staff/${inPath(given.words[0])}${query(given, { reason: 'reason' })}` }),
  },
  'pause show': { usage: '', does: 'say whether the market is paused', call: () => ({ method: 'GET', path: '/pause' }) },
  'pause on': {
    usage: '<message>',
    does: 'stop new listings and purchases, with a message for players',
    call: ({ words }) => ({ method: 'PUT', path: '/pause', body: { message: words.join(' ') } }),
  },
  'pause off': { usage: '', does: 'open the market again', call: () => ({ method: 'DELETE', path: '/pause' }) },
  'block list': {
    usage: '[--cursor <cursor>]',
    does: 'list the wallets that are blocked, the latest first',
    call: (given) => ({ method: 'GET', path: `/blocks${query(given, { cursor: 'cursor' })}` }),
  },
  'block show': {
    usage: '<wallet>',
    does: 'say whether a wallet is blocked, and why',
    call: ({ words }) => ({ method: 'GET', path: `/blocks/${inPath(words[0])}` }),
  },
  'block on': {
    usage: '<wallet> --reason <reason> [--until 2030-01-31T00:00:00Z] [--remove-listings]',
    does: 'keep a wallet from signing in, listing and buying',
    call: ({ words, options: { reason, until, 'remove-listings': removeListings } }) => ({
      method: 'PUT',
      path: `/blocks/${inPath(words[0])}`,
      body: { reason, ...(until !== undefined && { until }), ...(removeListings && { removeListings: true }) },
    }),
  },
  'block off': {
    usage: '<wallet>',
    does: 'let a wallet in again',
    call: ({ words }) => ({ method: 'DELETE', path: `/blocks/${inPath(words[0])}` }),
  },
  'case list': {
    usage: '[--wallet <wallet>] [--status open|all|…] [--cursor <cursor>]',
    does: 'list payments that did not end in a delivery',
    call: (given) => ({ method: 'GET', path: `/cases${query(given, { wallet: 'wallet', status: 'status', cursor: 'cursor' })}` }),
  },
  'case close': {
    usage: '<id> --reason <note>',
    does: 'close a case with a note for buyer and seller',
    call: ({ words: [caseId], options: { reason } }) => ({ method: 'POST', path: '/cases', body: { caseId, note: reason } }),
  },
  'purchase list': {
    usage: '[--wallet <wallet>] [--signature <signature>] [--listing <id>] [--status held|…] [--cursor <cursor>]',
    does: 'list purchases',
    call: (given) => ({
      method: 'GET',
      path: `/purchases${query(given, { wallet: 'wallet', signature: 'signature', listing: 'listingId', status: 'status', cursor: 'cursor' })}`,
    }),
  },
  'purchase show': {
    usage: '<id>',
    does: 'show a purchase and what happened to it',
    call: ({ words }) => ({ method: 'GET', path: `/purchases/${inPath(words[0])}` }),
  },
  'purchase release': {
    usage: '<id> --reason <reason>',
    does: 'release a hold that nobody can prove to be unpaid',
    call: ({ words, options: { reason } }) => ({ method: 'POST', path: `/purchases/${inPath(words[0])}/release`, body: { reason } }),
  },
}

/**
 * Reads a command.
 * @returns its call; undefined if help was asked for
 * @throws UsageError
 */
export function readCommand(typed: readonly string[]): CommandCall | undefined {
  const [subject = 'help', action = '', ...rest] = typed
  if ([subject, action, ...rest].some((word) => word === '--help' || word === '-h') || subject === 'help') return undefined
  const name = `${subject} ${action}`.trim()
  const command = commands[name]
  if (!command) throw new UsageError(unknownCommand(subject, name))
  const { words, given } = parse(name, command, rest)
  requireAll(name, command, words, given)
  return command.call({ words, options: given })
}

/** The usage, of everything or of one subject. */
export function helpText(subject?: string): string {
  const shown = Object.entries(commands).filter(([name]) => subject === undefined || name.startsWith(`${subject} `))
  return shown.map(([name, { usage, does }]) => `  ${`${name} ${usage}`.trimEnd()}\n      ${does}`).join('\n')
}

function unknownCommand(subject: string, name: string): string {
  const known = helpText(subject)
  return known === '' ? `There is no command ${subject}. There are:\n${helpText()}` : `There is no command ${name}. There are:\n${known}`
}

function parse(name: string, { usage }: Command, typed: string[]) {
  const allowed = Object.entries(options).filter(([option]) => usage.includes(`--${option} `) || usage.includes(`--${option}]`))
  try {
    const { positionals, values } = parseArgs({ args: typed, options: Object.fromEntries(allowed), allowPositionals: true, strict: true })
    const given: [string, string | true][] = []
    for (const [option, value] of Object.entries(values)) {
      if (typeof value === 'string' || value === true) given.push([option, value])
    }
    return { words: positionals, given: Object.fromEntries(given) }
  } catch (error) {
    const said = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw new UsageError(`${said}. It is: ${name} ${usage}`.trimEnd())
  }
}

/** What the usage names outside of brackets. */
function requireAll(name: string, { usage }: Command, words: string[], given: Given['options']): void {
  const required = usage.replaceAll(/\[[^\]]*\]/g, '')
  const places = [...required.replaceAll(/--\S+ \S+/g, '').matchAll(/<(\w+)>/g)].map(([, place = '']) => place)
  const missing = places.filter((_, index) => !words[index])
  const missingOptions = [...required.matchAll(/--([\w-]+)/g)].map(([, option = '']) => option).filter((option) => !given[option])
  const wanted = [...missing.map((place) => `<${place}>`), ...missingOptions.map((option) => `--${option}`)]
  if (wanted.length > 0)
    throw new UsageError(`${wanted.join(' and ')} ${wanted.length === 1 ? 'is' : 'are'} missing. It is: ${name} ${usage}`)
  const isMessage = name === 'pause on'
  if (!isMessage && words.length > places.length) {
    throw new UsageError(
      `${words.slice(places.length).join(' ')} is too much: put quotes around words that belong together. It is: ${name} ${usage}`.trimEnd(),
    )
  }
}

function wholeNumber(what: string, text: string | true): number {
  if (text === true || !/^\d{1,15}$/.test(text)) throw new UsageError(`${what} must be a whole number.`)
  return Number(text)
}

function scopeList(text: string | true | undefined): string[] {
  return String(text ?? '')
    .split(',')
    .filter(Boolean)
}

function inPath(word = ''): string {
  return encodeURIComponent(word)
}

/** The query of the options that were given, each under its name on the wire. */
function query({ options: given }: Given, names: Partial<Record<Option, string>>): string {
  const entries = Object.entries(names).flatMap(([option, name]) =>
    given[option] === undefined ? [] : [[name, String(given[option])] satisfies [string, string]],
  )
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`
}

import { requireSupportedNode, warnOfEndOfLife } from './support/node-version.mjs'

requireSupportedNode()

const { randomBytes } = await import('node:crypto')
const { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } = await import('node:fs')
const { join, resolve } = await import('node:path')

/** What `node start.mjs` can start, by its first argument. */
const programs = new Map([
  ['server', 'main.js'],
  ['audit', 'audit.js'],
  ['studio', 'studio.js'],
])
/** The settings that an archive requires, because it has no built-in database and chain. */
const NEEDED = {
  DATABASE_URL: 'PostgreSQL 15 or newer, as postgresql://user:password@host:5432/name',
  SOLANA_RPC_URL: 'a Solana RPC endpoint, such as https://api.devnet.solana.com',
}
const SECRETS = ['JWT_SECRET', 'STUDIO_API_KEY', 'REFERENCE_SECRET']
const SECRET_BYTES = 32
const OWNER_ONLY = { file: 0o600, folder: 0o700 }

const [command = 'server'] = process.argv.splice(2, 1)
const program = programs.get(command)
if (program === undefined) end(`node start.mjs ${[...programs.keys()].join(' | ')}, followed by the command's own arguments`)
if (command === 'server') {
  requireSettings()
  warnOfEndOfLife()
  makeMissingSecrets()
} else readKeptSecrets()

process.setSourceMapsEnabled(true)
await import(new URL(`../server/dist/${program}`, import.meta.url).href)

function requireSettings() {
  const missing = Object.entries(NEEDED).filter(([name]) => process.env[name] === undefined)
  if (missing.length === 0) return
  const list = missing.map(([name, meaning]) => `${name} (${meaning})`).join(' and ')
  end(`Set ${list}, and start again: this archive has no built-in database and chain. All settings are in README.md.`)
}

/** So that one command is enough to try it. Servers that share a database must be given the same secrets. */
function makeMissingSecrets() {
  readKeptSecrets()
  const isSet = (/** @type {string} */ name) => process.env[name] !== undefined
  // A server that was given a JWT_SECRET shares it with others, and must not have a REFERENCE_SECRET that they do not have.
  const missing = SECRETS.filter((name) => !isSet(name) && !(name === 'REFERENCE_SECRET' && isSet('JWT_SECRET')))
  if (missing.length === 0) return
  const folder = dataFolder()
  try {
    for (const name of missing) process.env[name] = makeSecret(folder, name)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    end(`${missing.join(', ')} must be set, since nothing can be kept in DATA_DIR, ${folder} (${reason}).`)
  }
  console.error(`${missing.join(', ')} not set: made, and kept in ${folder}. Set the same on every other server of this database.`)
}

function readKeptSecrets() {
  for (const name of SECRETS) {
    const kept = process.env[name] ?? readSecret(join(dataFolder(), name))
    if (kept !== undefined) process.env[name] = kept
  }
}

/** @param {string} file */
function readSecret(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/**
 * @param {string} folder
 * @param {string} name
 */
function makeSecret(folder, name) {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder })
  const file = join(folder, name)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, { mode: OWNER_ONLY.file })
  try {
    // The first process has written it completely.
    linkSync(draft, file)
  } catch (error) {
    if (readSecret(file) === undefined) throw error
  } finally {
    rmSync(draft)
  }
  return readSecret(file)
}

function dataFolder() {
  return resolve(process.env.DATA_DIR ?? '.data')
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function end(sentence) {
  console.error(sentence)
  process.exit(1)
}

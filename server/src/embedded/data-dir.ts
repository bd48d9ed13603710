import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, mkdir, realpath, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { hasErrorCode } from './free-port.ts'

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

/**
 * The secret in a file that only its owner can read: 43 URL-safe characters, generated if the file does not exist.
 * @throws Error if the file is empty
 */
export async function readSecretFile(path: string): Promise<string> {
  const known = await readIfExists(path)
  if (known === undefined) return createSecretFile(path)
  if (known === '') throw new Error(`${path} is empty, but it should contain a secret. Delete the file to have a new secret generated.`)
  await chmod(path, OWNER_ONLY)
  return known
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function createSecretFile(path: string): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  await writeFileAtomically(path, `${secret}\n`)
  return secret
}

/** Writes a file that only its owner can read. Even after a power cut it is either complete or unchanged. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w', OWNER_ONLY)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Makes renames in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The folder where embedded services and generated secrets are kept. No other process can open it until `release`. */
export interface DataDir {
  /** The real path: absolute, links resolved. */
  readonly path: string
  /** The secret of this name: 43 URL-safe characters, generated on first use and kept with mode 0600. */
  secret(name: string): Promise<string>
  /** Unlocks the folder for other processes. The end of this process does so too, however it ends. */
  release(): Promise<void>
}

/** The folder cannot be opened. The message is for the person who started the server. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

interface OpenOptions {
  /** Called once, with a sentence to show, if another process still has the folder. */
  onWait?: (sentence: string) => void
  /** How long to wait for the other process to end. */
  waitMillis?: number
}

/** A server that was just told to end still needs a moment to stop its database. */
const WAIT_MILLIS = 5_000
const POLL_MILLIS = 100
const ANSWER_MILLIS = 1_000

/**
 * Creates the data folder if necessary, with mode 0700, and locks it for this process.
 * @throws DataDirError if another process has it locked or it cannot be written
 */
export async function openDataDir(path: string, options: OpenOptions = {}): Promise<DataDir> {
  const folder = await createFolder(resolve(path))
  const lock = await lockFolder(folder, options)
  return {
    path: folder,
    secret: (name) => readSecretFile(join(folder, name)),
    release: () => closeServer(lock),
  }
}

async function createFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const folder = await realpath(path)
    const { uid } = await stat(folder)
    const user = process.geteuid?.() ?? uid
    if (user !== 0 && uid !== user) {
      throw new DataDirError(
        `The data folder ${folder} belongs to another user of this machine. Start as that user, or set DATA_DIR to another folder.`,
      )
    }
    return folder
  } catch (error) {
    if (error instanceof DataDirError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new DataDirError(`The data folder ${path} cannot be used (${reason}). Set DATA_DIR to a folder that can be written.`, {
      cause: error,
    })
  }
}

async function lockFolder(folder: string, options: OpenOptions): Promise<Server> {
  const address = await lockAddress(folder)
  const deadline = Date.now() + (options.waitMillis ?? WAIT_MILLIS)
  for (let waiting = false; ; waiting = true) {
    const lock = await listenOn(address)
    if (lock) return lock
    const holder = await askHolder(address)
    if (holder === 'gone') await removeStaleSocket(address)
    else if (!waiting) options.onWait?.(`Process ${holder} is still using the data folder ${folder}. Waiting for it to end.`)
    if (Date.now() >= deadline) throw new DataDirError(refusal(folder, holder))
    await delay(POLL_MILLIS)
  }
}

function refusal(folder: string, holder: string): string {
  return `The data folder ${folder} is in use by process ${holder}. Stop that one first, or set DATA_DIR to another folder (and PORT to another port).`
}

/**
 * The lock is a listening socket. The system lets only one process listen on it and frees it when that process dies, so a lock is
 * never stale and never mistaken for another process's. On Linux the socket is abstract and needs no file. Elsewhere its file stays
 * behind; it is in /tmp because macOS limits such paths to 103 characters.
 */
async function lockAddress(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const name = `juicebar-${dev}-${ino}`
  return process.platform === 'linux' ? `\0${name}` : join('/tmp', `${name}.sock`)
}

function listenOn(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(String(process.pid))
  })
  server.unref()
  return new Promise((done, fail) => {
    server.once('error', (error) => (hasErrorCode(error, 'EADDRINUSE') ? done(undefined) : fail(error)))
    server.listen(address, () => done(server))
  })
}

/** The process id of the lock's holder, as the holder reports it; `gone` if nobody listens any more. */
function askHolder(address: string): Promise<string> {
  return new Promise((done) => {
    const socket = connect(address)
    let answer = ''
    socket.setTimeout(ANSWER_MILLIS, () => socket.destroy())
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', (error) => hasErrorCode(error, 'ECONNREFUSED', 'ENOENT') && done('gone'))
    socket.on('close', () => done(answer || '(unknown)'))
  })
}

async function removeStaleSocket(address: string): Promise<void> {
  if (address.startsWith('\0')) return
  try {
    await unlink(address)
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done, fail) => server.close((error) => (error ? fail(error) : done())))
}

import { mkdir, realpath, stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { hasErrorCode } from '../error-code.ts'
import { readSecretFile } from './secret-file.ts'

/** The folder that holds everything a start on embedded parts keeps. It is this process's alone until `release`. */
export interface DataDir {
  /** The real path: absolute, links resolved. */
  readonly path: string
  /** A secret of this name, generated once and kept with mode 0600: 43 URL-safe characters. */
  secret(name: string): Promise<string>
  /** Lets another process have the folder. The end of the process, however it comes, does so too. */
  release(): Promise<void>
}

/** The folder cannot be had. Its message is a sentence for whoever started the product. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

interface OpenOptions {
  /** Told once where another process still has the folder and may be about to end. */
  onWait?: (sentence: string) => void
  /** How long to wait for that process to end. */
  waitMillis?: number
}

/** A start right after the end of another one finds it still stopping its database. */
const WAIT_MILLIS = 5_000
const LOOK_AGAIN_MILLIS = 100
const ANSWER_MILLIS = 1_000

/**
 * Opens the data folder for this process alone, creating it with mode 0700. Throws a `DataDirError` where another process
 * keeps it, or where it cannot be written.
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
  for (let told = false; ; told = true) {
    const lock = await listenOn(address)
    if (lock) return lock
    const holder = await askHolder(address)
    if (holder === 'gone') await removeLeftover(address)
    else if (!told) options.onWait?.(`Process ${holder} still uses the data folder ${folder}. Waiting for it to end.`)
    if (Date.now() >= deadline) throw new DataDirError(refusal(folder, holder))
    await delay(LOOK_AGAIN_MILLIS)
  }
}

function refusal(folder: string, holder: string): string {
  return `The data folder ${folder} is in use by process ${holder}. Stop that one first, or set DATA_DIR to another folder (and PORT to another port).`
}

/**
 * The lock is a listening socket: the system lets only one process have it and takes it back at any kind of death, so no
 * lock is ever stale and no process id is ever mistaken. Linux has such sockets without a file; elsewhere the file stays
 * behind, in /tmp because such a path may have 103 characters at most on macOS.
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

/** The process id that the holder of the lock tells; `gone` where nobody listens any more. */
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

async function removeLeftover(address: string): Promise<void> {
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

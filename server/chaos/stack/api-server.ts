import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { type Version } from './version.ts'

/** One API server in a process of its own, which can be killed at any moment. */
export interface ApiServer {
  url: string
  /** How often it ended without being told to. */
  crashes: number
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  /** Kills it at once, and starts it again after this time, unless it is to be down for longer for another reason. */
  killFor(millis: number): Promise<void>
  /** Resolves once it answers. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops it and starts another version in its place. */
  upgrade(version: Version): Promise<void>
}

interface ApiServerOptions {
  version: Version
  /** Its whole environment, except for PORT. */
  env: Record<string, string>
  logFile: string
}

/** Generous, because a run shares its machine with whatever else is running there. */
const READY_MILLIS = 180_000
const POLL_MILLIS = 30
const RESTART_PAUSE_MILLIS = 300

/** Creates a server that is not started yet. If it crashes, the crash is counted and it is restarted. */
export async function createApiServer({ version: firstVersion, env, logFile }: ApiServerOptions): Promise<ApiServer> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  let version = firstVersion
  let child: ChildProcess | undefined
  process.once('exit', () => child?.kill('SIGKILL'))

  async function start(): Promise<void> {
    const log = await open(logFile, 'a')
    const started = spawn(process.execPath, ['--enable-source-maps', version.serverProgram], {
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', log.fd, log.fd],
    })
    await log.close()
    child = started
    started.once('exit', () => {
      if (child === started) restart()
    })
    await untilHealthy(url, () => child !== started)
  }

  function restart(): void {
    server.crashes += 1
    child = undefined
    setTimeout(() => void (child ?? start()), RESTART_PAUSE_MILLIS)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = child
    child = undefined
    if (!running) return
    const ended = once(running, 'exit')
    running.kill(signal)
    await ended
  }

  let reasons = 0
  async function killFor(millis: number): Promise<void> {
    reasons += 1
    await end('SIGKILL')
    await delay(millis)
    reasons -= 1
    if (reasons === 0 && !child) await start()
  }

  const server: ApiServer = {
    url,
    crashes: 0,
    start,
    kill: () => end('SIGKILL'),
    killFor,
    stop: () => end('SIGTERM'),
    upgrade: async (next) => {
      await end('SIGTERM')
      version = next
      await start()
    },
  }
  return server
}

async function untilHealthy(url: string, isGone: () => boolean): Promise<void> {
  const deadline = Date.now() + READY_MILLIS
  while (!isGone()) {
    if (await isHealthy(url)) return
    if (Date.now() > deadline) throw new Error(`the server at ${url} does not become healthy`)
    await delay(POLL_MILLIS)
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

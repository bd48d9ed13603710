import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import { findFreePort } from '../../src/embedded/free-port.ts'

/** One API server as a process of its own, that can be killed at any moment. */
export interface ApiNode {
  url: string
  /** Ended without having been told to. */
  crashes: number
  /** As `kill -9` does it. */
  kill(): Promise<void>
  /** Fulfilled once it answers. */
  start(): Promise<void>
  stop(): Promise<void>
}

interface NodeOptions {
  /** The built `main.js`. */
  program: string
  /** Everything that it gets to know of its environment but its port. */
  env: Record<string, string>
  logFile: string
}

const READY_MILLIS = 60_000
const LOOK_AGAIN_MILLIS = 30
const RESTART_PAUSE_MILLIS = 300

/** A node that is not started yet. One that ends by itself is counted and started again. */
export async function createNode({ program, env, logFile }: NodeOptions): Promise<ApiNode> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  process.once('exit', () => child?.kill('SIGKILL'))

  async function start(): Promise<void> {
    const log = await open(logFile, 'a')
    const started = spawn(process.execPath, ['--enable-source-maps', program], {
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', log.fd, log.fd],
    })
    await log.close()
    child = started
    started.once('exit', () => {
      if (child === started) crashed()
    })
    await untilHealthy(url, () => child !== started)
  }

  function crashed(): void {
    node.crashes += 1
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

  const node: ApiNode = { url, crashes: 0, start, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
  return node
}

async function untilHealthy(url: string, isGone: () => boolean): Promise<void> {
  const deadline = Date.now() + READY_MILLIS
  while (!isGone()) {
    if (await isHealthy(url)) return
    if (Date.now() > deadline) throw new Error(`the node at ${url} does not come up`)
    await delay(LOOK_AGAIN_MILLIS)
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

import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'

import { type BaseLogger } from 'pino'

import { findFreePort } from '../free-port.ts'
import { keepRunning, type Part } from '../supervise.ts'
import { surfpoolPackage } from './surfpool-package.ts'

/** A Solana chain of this process's own. It keeps nothing across a restart: another genesis hash, everything forgotten. */
export interface LocalChain {
  /** Stays the same until `stop`, also when the runtime died and was started again. */
  rpcUrl: string
  /** Called after the runtime died and a new, empty chain runs in its place. */
  onRestart(listener: () => void): void
  stop(): Promise<void>
}

interface Options {
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
  /** Solana's own slots take 400 ms. */
  slotMillis?: number
}

const SLOT_MILLIS = 400
const READY_MILLIS = 15_000
const LOOK_AGAIN_MILLIS = 20
const STOP_MILLIS = 3_000
const PORT_TRIES = 3

let lastStart = 0

/** Starts a local Solana chain in a child process that ends with this one. Throws a sentence where this machine cannot run one. */
export async function startLocalChain({ log, slotMillis = SLOT_MILLIS }: Options): Promise<LocalChain> {
  const runtime = findRuntime()
  const { port, part } = await startOnFreePort(slotMillis)
  const restarts = new EventEmitter()
  const stop = keepRunning(part, {
    name: 'the embedded Solana chain',
    start: () => startRuntime(port, slotMillis),
    onRestart: () => restarts.emit('restart'),
    log,
  })
  log.info({ port, runtime }, 'embedded Solana chain runs')
  return { rpcUrl: rpcUrl(port), onRestart: (listener) => restarts.on('restart', listener), stop }
}

function findRuntime(): string {
  const runtime = surfpoolPackage()
  try {
    createRequire(import.meta.url).resolve(runtime)
    return runtime
  } catch (cause) {
    throw new Error(`There is no embedded Solana chain for this machine (${runtime}): set SOLANA_RPC_URL to a running validator.`, {
      cause,
    })
  }
}

function rpcUrl(port: number): string {
  return `http://127.0.0.1:${port}`
}

/**
 * The runtime makes its genesis hash from the second of its start: two chains of one second would pass for the same one,
 * and payments of the first would be looked for in the second. Starts of other processes are further apart by themselves.
 */
async function untilNextSecond(): Promise<void> {
  const next = (Math.floor(lastStart / 1_000) + 1) * 1_000
  if (Date.now() < next) await delay(next - Date.now())
}

async function startOnFreePort(slotMillis: number): Promise<{ port: number; part: Part }> {
  for (let tries = 1; ; tries++) {
    const port = await findFreePort()
    try {
      return { port, part: await startRuntime(port, slotMillis) }
    } catch (error) {
      if (tries === PORT_TRIES) throw error
    }
  }
}

async function startRuntime(port: number, slotMillis: number): Promise<Part> {
  await untilNextSecond()
  const { child, complaint } = spawnRuntime([String(port), String(slotMillis)])
  const ended = once(child, 'exit').then(() => undefined)
  const stop = () => stopRuntime(child, ended)
  try {
    await untilReady(child, rpcUrl(port))
    lastStart = Date.now()
    letUsEnd(child)
    return { ended, stop }
  } catch (cause) {
    await stop()
    throw new Error(`The embedded Solana chain did not start: set SOLANA_RPC_URL to a running validator. ${complaint()}`.trim(), { cause })
  }
}

/** Detached, so that Ctrl-C in a terminal reaches only this process, which then stops its parts in order. */
function spawnRuntime(settings: string[]) {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = fileURLToPath(new URL(isSource ? './local-chain-process.ts' : './local-chain-process.js', import.meta.url))
  const execArgv = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []
  const child = fork(entry, settings, { execArgv, env: {}, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2_000)))
  return { child, complaint: () => complaint }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const signal = AbortSignal.timeout(READY_MILLIS)
  await Promise.race([once(child, 'message', { signal }), failWhenEnded(child)])
  while (!(await isHealthy(url, signal))) {
    signal.throwIfAborted()
    if (hasEnded(child)) throw new Error('it ended')
    await delay(LOOK_AGAIN_MILLIS)
  }
}

/** A child that is still running does not keep this process from ending. */
function letUsEnd(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  if (child.stderr instanceof Socket) child.stderr.unref()
}

async function failWhenEnded(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('it ended')
}

async function isHealthy(url: string, signal: AbortSignal): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash' })
  try {
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
    return reply.ok && (await reply.text()).includes('"result"')
  } catch {
    return false
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function stopRuntime(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.ref()
  if (child.connected) child.disconnect()
  if (hasEnded(child)) return
  await Promise.race([ended, delay(STOP_MILLIS, undefined, { ref: false })])
  child.kill('SIGKILL')
  await ended
}

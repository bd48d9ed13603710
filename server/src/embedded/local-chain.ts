import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { type BaseLogger } from 'pino'
import { findFreePort } from './free-port.ts'
import { type ChildService, supervise } from './supervise.ts'
import { surfpoolPackage } from './surfpool-package.ts'

/** A Solana chain that runs for this server alone. A restart is a new chain: another genesis hash and no history. */
export interface LocalChain {
  /** Stays the same until `stop`, even if the runtime is restarted. */
  rpcUrl: string
  /** Called when the runtime has died and a new, empty chain has replaced it. */
  onRestart(listener: () => void): void
  stop(): Promise<void>
}

interface Options {
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
  /** 400, as on Solana's clusters, unless a test needs a faster chain. */
  slotMillis?: number
  /** This wallet owns 1 SOL on the chain, and on each that replaces it. */
  funded?: string | undefined
}

const SLOT_MILLIS = 400
const READY_MILLIS = 15_000
const POLL_MILLIS = 20
const STOP_MILLIS = 3_000
const PORT_TRIES = 3
const FUNDED_LAMPORTS = 1_000_000_000

let lastStart = 0

/**
 * Starts a Solana chain in a child process that ends with this one and is restarted if it dies.
 * @throws Error, with a sentence that says what to do, if this machine cannot run one
 */
export async function startLocalChain({ log, slotMillis = SLOT_MILLIS, funded }: Options): Promise<LocalChain> {
  const runtime = findRuntime()
  const settings = { slotMillis, funded }
  const { port, service } = await startOnFreePort(settings)
  const restarts = new EventEmitter()
  const stop = supervise(service, {
    name: 'the embedded Solana chain',
    start: () => startRuntime(port, settings),
    onRestart: () => restarts.emit('restart'),
    log,
  })
  log.info({ port, runtime }, 'the embedded Solana chain is running')
  return { rpcUrl: rpcUrl(port), onRestart: (listener) => restarts.on('restart', listener), stop }
}

function findRuntime(): string {
  const runtime = surfpoolPackage()
  try {
    createRequire(import.meta.url).resolve(runtime)
    return runtime
  } catch (cause) {
    throw new Error(
      `The embedded Solana chain does not support this machine (${runtime} is not installed). Set SOLANA_RPC_URL to a running validator.`,
      {
        cause,
      },
    )
  }
}

function rpcUrl(port: number): string {
  return `http://127.0.0.1:${port}`
}

/**
 * The runtime derives its genesis hash from the second in which it starts. Two chains started in the same second would pass for
 * one, and payments of the first would be searched for on the second. Starts of other processes are further apart anyway.
 */
async function untilNextSecond(): Promise<void> {
  const next = (Math.floor(lastStart / 1_000) + 1) * 1_000
  if (Date.now() < next) await delay(next - Date.now())
}

interface RuntimeSettings {
  slotMillis: number
  funded: string | undefined
}

async function startOnFreePort(settings: RuntimeSettings): Promise<{ port: number; service: ChildService }> {
  for (let tries = 1; ; tries++) {
    const port = await findFreePort()
    try {
      return { port, service: await startRuntime(port, settings) }
    } catch (error) {
      if (tries === PORT_TRIES) throw error
    }
  }
}

async function startRuntime(port: number, { slotMillis, funded }: RuntimeSettings): Promise<ChildService> {
  await untilNextSecond()
  const { child, stderr } = spawnRuntime([String(port), String(slotMillis)])
  const ended = once(child, 'exit').then(() => undefined)
  const stop = () => stopRuntime(child, ended)
  try {
    await untilReady(child, rpcUrl(port))
    if (funded !== undefined) await fund(rpcUrl(port), funded)
    lastStart = Date.now()
    unref(child)
    return { ended, stop }
  } catch (cause) {
    await stop()
    throw new Error(`The embedded Solana chain did not start. Set SOLANA_RPC_URL to a running validator. ${stderr()}`.trim(), { cause })
  }
}

/** Detached, so that Ctrl-C in a terminal reaches only this process, which then stops its services in order. */
function spawnRuntime(settings: string[]) {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = fileURLToPath(new URL(isSource ? './local-chain-process.ts' : './local-chain-process.js', import.meta.url))
  const execArgv = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []
  const child = fork(entry, settings, { execArgv, env: {}, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2_000)))
  return { child, stderr: () => stderr }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const signal = AbortSignal.timeout(READY_MILLIS)
  await Promise.race([once(child, 'message', { signal }), failWhenEnded(child)])
  while (!(await isHealthy(url, signal))) {
    signal.throwIfAborted()
    if (hasEnded(child)) throw new Error('it ended')
    await delay(POLL_MILLIS)
  }
}

/** Lets this process end while the child is still running. */
function unref(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  if (child.stderr instanceof Socket) child.stderr.unref()
}

async function failWhenEnded(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('it ended')
}

async function isHealthy(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await ask(url, 'getGenesisHash', [], signal)).includes('"result"')
  } catch {
    return false
  }
}

async function fund(url: string, wallet: string): Promise<void> {
  const reply = await ask(url, 'requestAirdrop', [wallet, FUNDED_LAMPORTS], AbortSignal.timeout(READY_MILLIS))
  if (!reply.includes('"result"')) throw new Error(`test SOL was refused: ${reply}`)
}

/** @returns the text of the reply; @throws unless it is a success of HTTP */
async function ask(url: string, method: string, params: unknown[], signal: AbortSignal): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
  if (!reply.ok) throw new Error(`${method} was answered with ${reply.status}`)
  return reply.text()
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

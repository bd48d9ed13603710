import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { onTestFinished } from 'vitest'

const holderFile = fileURLToPath(new URL('./holder.ts', import.meta.url))

/** Starts a process that locks a data folder. Resolves when it has, with the URL of its database. */
export async function startHolder(folder: string, part: 'postgres' | 'nothing'): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', holderFile, folder, part], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => killNow(child))
  const [chunk]: unknown[] = await once(child.stdout, 'data')
  return { child, url: String(chunk) }
}

/** Ends a process as a power cut would, and waits for its end. */
export async function killNow(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

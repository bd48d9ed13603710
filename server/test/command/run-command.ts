import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { studioApiKey } from '../support/start-app.ts'

/** Runs one of the product's commands as a process. */
export async function runCommand(name: 'studio' | 'audit', settings: NodeJS.ProcessEnv, typed: string[]) {
  const program = fileURLToPath(new URL(`../../src/${name}-command.ts`, import.meta.url))
  const env = { PATH: process.env['PATH'] ?? '', STUDIO_API_KEY: studioApiKey, ...settings }
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...typed], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, complaint, code: Number(code) }
}

import { execFile } from 'node:child_process'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { type Stack } from '../stack/stack.ts'

/** Reads thousands of transactions. */
const AUDIT_MILLIS = 600_000
/** What an audit finds pending may be wrong a minute later. */
const ATTEMPTS = 3
const PAUSE_MILLIS = 65_000

interface Ended {
  code: number
  text: string
}

/**
 * Runs `npm run audit -- --public` as anybody can, without keys or database. It sees the chain as the servers do: without what was rolled back.
 * @returns a sentence if it does not find that market and chain agree
 */
export async function auditPublicly(stack: Stack): Promise<string[]> {
  let ended: Ended = { code: 0, text: '' }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    ended = await runAudit(stack)
    await appendFile(join(stack.folder, 'public-audit.log'), ended.text)
    if (ended.code === 0 && !ended.text.includes('\nPending:')) return []
    if (ended.code === 1) break
    // The local chain may have begun after its first slot, which the first audit takes for history that nobody keeps.
    if (ended.text.includes('\nPending:')) await delay(PAUSE_MILLIS)
  }
  return [`the public audit says (${ended.code}): ${ended.text.trim().replaceAll(/\s*\n\s*/g, ' ')}`]
}

function runAudit({ version, urls, proxy, folder }: Stack): Promise<Ended> {
  const [market = ''] = urls()
  const args = [version.auditProgram, '--public', market, '--progress', join(folder, 'public-audit.json')]
  const env = { SOLANA_RPC_URL: proxy.url, LOG_LEVEL: 'silent' }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: AUDIT_MILLIS }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, text: `${stdout}\n${stderr}` })
    })
  })
}

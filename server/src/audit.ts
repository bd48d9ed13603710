import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type AuditReport } from '@juicebar/contract/schemas'

import { type Config, readConfig } from './config.ts'
import { auditText } from './studio/audit-text.ts'

const WRONG = 1
const NOT_CHECKED = 2

await main()

/**
 * Asks the running server for its money audit and prints it on one screen. Ends with 0 if everything was checked and adds up, 1 if
 * something does not add up, 2 if it or a part of it could not be checked.
 */
async function main(): Promise<void> {
  try {
    const config = readConfig(process.env)
    const report = await readAudit(config, await readStudioKey(config))
    process.stdout.write(auditText(report))
    process.exitCode = exitCode(report)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = NOT_CHECKED
  }
}

function exitCode({ ok, unchecked }: AuditReport): number {
  if (!ok) return WRONG
  return unchecked.length > 0 ? NOT_CHECKED : 0
}

async function readStudioKey({ studioApiKey, dataDir }: Config): Promise<string> {
  if (studioApiKey) return studioApiKey
  const file = join(dataDir, 'STUDIO_API_KEY')
  return (
    await readFile(file, 'utf8').catch((cause: unknown) => fail(`There is no studio key in ${file}: start the product once.`, cause))
  ).trim()
}

async function readAudit({ host, port }: Config, key: string): Promise<AuditReport> {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/api/studio/audit`
  const reply = await fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch((cause: unknown) =>
    fail(`The product does not answer at ${url}: is it running?`, cause),
  )
  if (!reply.ok) fail(`The audit was refused with status ${reply.status}: ${await reply.text()}`, undefined)
  // Both sides of this call are this product, checked by the same schema.
  return (await reply.json()) as AuditReport
}

function fail(sentence: string, cause: unknown): never {
  throw new Error(sentence, { cause })
}

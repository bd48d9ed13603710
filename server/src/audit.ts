import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type AuditReport } from '@juicebar/contract/schemas'

import { type Config, readConfig } from './config.ts'
import { auditText } from './studio/audit-text.ts'

await main()

/** Asks the running product for its money audit and prints it on one screen. Ends with 1 where something does not add up. */
async function main(): Promise<void> {
  try {
    const config = readConfig(process.env)
    const report = await readAudit(config, await readStudioKey(config))
    process.stdout.write(auditText(report))
    process.exitCode = report.ok ? 0 : 1
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
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

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { type AuditReport } from '@juicebar/contract/schemas'
import { describe, expect, it, onTestFinished } from 'vitest'

import { tempFolder } from '../embedded/temp-folder.ts'

const program = fileURLToPath(new URL('../../src/audit.ts', import.meta.url))
const KEY = 'the-studio-key-of-this-test'

const clean: AuditReport = {
  ok: true,
  checkedAt: '2030-01-01T00:00:00.000Z',
  tokens: [],
  purchases: { held: 0, settled: 1, ended: 0, openCases: 0, earlierChain: 0, verifiedOnChain: 1 },
  violations: [],
  unchecked: [],
}
const violation = { invariant: 'I1', detail: 'a wallet holds more than its ledger says' }

/** A server that answers the audit with a report, for the studio's key. */
async function serveReport(report: AuditReport): Promise<string> {
  const server = createServer((request, response) => {
    const allowed = request.url === '/api/studio/audit' && request.headers.authorization === `Bearer ${KEY}`
    response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(allowed ? report : {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return String((server.address() as AddressInfo).port)
}

async function run(settings: NodeJS.ProcessEnv) {
  const env = { PATH: process.env['PATH'] ?? '', STUDIO_API_KEY: KEY, ...settings }
  const child = spawn(process.execPath, ['--import', 'tsx', program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, complaint, code: Number(code) }
}

/** Each starts a process, which takes a while on a busy machine. */
describe('the command for the money audit', { timeout: 120_000 }, () => {
  it.each<[code: number, what: string, report: AuditReport, said: string]>([
    [0, 'everything adds up', clean, 'Everything adds up.'],
    [1, 'something does not add up', { ...clean, ok: false, violations: [violation] }, violation.detail],
    [1, 'something is wrong and something unchecked', { ...clean, ok: false, violations: [violation], unchecked: ['x'] }, violation.detail],
    [2, 'a part could not be checked', { ...clean, unchecked: ['purchase 1: no answer'] }, 'What could be checked adds up.'],
  ])('ends with %i if %s', async (code, _what, report, said) => {
    const result = await run({ PORT: await serveReport(report) })
    expect(result).toMatchObject({ code, complaint: '' })
    expect(result.output).toContain(said)
  })

  it.each<[what: string, settings: () => Promise<NodeJS.ProcessEnv>, said: string]>([
    ['no server answers', async () => ({ PORT: '9' }), 'is it running?'],
    ['the server refuses the key', async () => ({ PORT: await serveReport(clean), STUDIO_API_KEY: 'another-key-of-the-studio' }), '401'],
    ['there is no key', async () => ({ STUDIO_API_KEY: undefined, DATA_DIR: await tempFolder() }), 'There is no studio key'],
    ['a setting is wrong', async () => ({ PORT: 'many' }), 'PORT is "many"'],
  ])('ends with 2 and a sentence if %s', async (_what, settings, said) => {
    const result = await run(await settings())
    expect(result).toMatchObject({ code: 2, output: '' })
    expect(result.complaint).toContain(said)
  })
})

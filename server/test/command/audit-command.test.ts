import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { type Audit } from '@juicebar/contract/schemas'
import { describe, expect, it, onTestFinished } from 'vitest'

import { tempFolder } from '../embedded/temp-folder.ts'
import { studioApiKey } from '../support/start-app.ts'
import { runCommand } from './run-command.ts'

const clean: Audit = {
  id: '01a1f7e3-d2be-70a3-b634-7c62066aaf1d',
  status: 'done',
  full: false,
  startedBy: 'root key',
  startedAt: '2030-01-01T00:00:00.000Z',
  finishedAt: '2030-01-01T00:00:01.000Z',
  progress: { checked: 1234, total: 1234 },
  ok: true,
  violations: [],
  violationCount: 0,
  unchecked: [],
  uncheckedCount: 0,
  tokens: [],
  purchases: { held: 0, settled: 1, ended: 0, openCases: 0, earlierChain: 0, verifiedOnChain: 1 },
  revenue: { lamports: '0' },
}
const violation = { invariant: 'I1', detail: 'a wallet holds more than its ledger says' }
const wrong = { ok: false, violations: [violation], violationCount: 1 }
const open = { unchecked: ['purchase 1: no answer'], uncheckedCount: 1 }

interface Served {
  port: string
  /** What the audit was started with. */
  started: unknown[]
}

/** A server with the studio's key whose audit is done after a moment, and which is away for one call in between. */
async function serveAudit(audit: Audit): Promise<Served> {
  const started: unknown[] = []
  let reads = 0
  const answer = async (request: IncomingMessage): Promise<[status: number, body: unknown]> => {
    if (request.headers.authorization !== `Bearer ${studioApiKey}`) return [401, {}]
    if (request.method === 'POST' && request.url === '/api/studio/audits') {
      started.push(JSON.parse(await text(request)))
      return [202, { audit: { ...audit, status: 'running', progress: { checked: 0, total: 1234 } } }]
    }
    if (request.url !== `/api/studio/audits/${audit.id}`) return [404, {}]
    return ++reads === 1 ? [503, { code: 'DATABASE_DOWN' }] : [200, { audit }]
  }
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: String((server.address() as AddressInfo).port), started }
}

describe('the command for the money audit', { timeout: 120_000 }, () => {
  const run = (settings: NodeJS.ProcessEnv, ...typed: string[]) => runCommand('audit', settings, typed)

  it.each<[code: number, what: string, audit: Audit, said: string]>([
    [0, 'everything adds up', clean, 'Everything adds up.'],
    [1, 'something does not add up', { ...clean, ...wrong }, violation.detail],
    [1, 'something is wrong and something unchecked', { ...clean, ...wrong, ...open }, violation.detail],
    [2, 'a part could not be checked', { ...clean, ...open }, 'What could be checked adds up.'],
  ])('shows its progress and ends with %i if %s', async (code, _what, audit, said) => {
    const { port, started } = await serveAudit(audit)
    const result = await run({ PORT: port })
    expect(result).toMatchObject({ code, complaint: '0 of 1,234 payments checked\n' })
    expect(result.output).toContain(said)
    expect(started).toEqual([{ full: false }])
  })

  it('reads every payment again with --full', async () => {
    const { port, started } = await serveAudit(clean)
    expect(await run({ PORT: port }, '--full')).toMatchObject({ code: 0 })
    expect(started).toEqual([{ full: true }])
  })

  it.each<[what: string, settings: () => Promise<NodeJS.ProcessEnv>, said: string]>([
    ['no server answers', async () => ({ PORT: '9' }), 'is it running?'],
    [
      'the server refuses the key',
      async () => ({ PORT: (await serveAudit(clean)).port, STUDIO_API_KEY: 'another-key-of-the-studio' }),
      '401',
    ],
    ['there is no key', async () => ({ STUDIO_API_KEY: undefined, DATA_DIR: await tempFolder() }), 'STUDIO_API_KEY is not set'],
    ['a setting is wrong', async () => ({ PORT: 'many' }), 'PORT is "many"'],
  ])('ends with 2 and a sentence if %s', async (_what, settings, said) => {
    const result = await run(await settings())
    expect(result).toMatchObject({ code: 2, output: '' })
    expect(result.complaint).toContain(said)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { freshDatabase } from '../support/fresh-database.ts'
import { signInAt } from '../studio/staff/desk-client.ts'
import { startStudio } from '../studio/studio-client.ts'
import { studioApiKey } from '../support/start-app.ts'

const program = fileURLToPath(new URL('../../src/studio.ts', import.meta.url))

async function run(settings: NodeJS.ProcessEnv, ...typed: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', STUDIO_API_KEY: studioApiKey, ...settings }
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...typed], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, complaint, code: Number(code) }
}

/** Each starts processes, which takes a while on a busy machine. */
describe('the studio on the command line', { timeout: 120_000 }, () => {
  it('makes a key, lists it and revokes it on the running product', async () => {
    const fresh = await freshDatabase()
    onTestFinished(() => fresh.drop())
    const { origin, call } = await startStudio(fresh.url)
    const settings = { PORT: new URL(origin).port }

    const made = await run(settings, 'keys', 'create', 'game', '--scopes', 'read')
    expect(made).toMatchObject({ code: 0, complaint: '' })
    const [, key = ''] = /^secret +(jb_\S+)$/m.exec(made.output) ?? []
    const [, id = ''] = /^id +(\S+)$/m.exec(made.output) ?? []
    expect((await call('GET', '/cases', { key })).status).toBe(200)

    const listed = await run(settings, '--json', 'keys', 'list')
    expect(JSON.parse(listed.output)).toMatchObject({ keys: [{ id, name: 'game', scopes: ['read'] }], nextCursor: null })

    expect(await run(settings, 'keys', 'revoke', id)).toMatchObject({ code: 0 })
    expect((await call('GET', '/cases', { key })).status).toBe(401)
    expect(await run({ ...settings, STUDIO_API_KEY: key }, 'case', 'list')).toEqual({
      code: 1,
      output: '',
      complaint: 'This studio key was revoked. (401 KEY_REVOKED)\n',
    })
  })

  it('puts a wallet on the staff, lists it and takes it off', async () => {
    const fresh = await freshDatabase()
    onTestFinished(() => fresh.drop())
    const studio = await startStudio(fresh.url)
    const settings = { PORT: new URL(studio.origin).port }
    const { wallet, token } = await signInAt(studio.origin)

    const set = await run(settings, 'staff', 'set', wallet.address, '--scopes', 'read,cases', '--name', 'Ann', '--reason', 'support')
    expect(set).toMatchObject({ code: 0, complaint: '', output: expect.stringMatching(/^scopes +read, cases$/m) })
    expect((await studio.call('GET', '/cases', { key: token })).status).toBe(200)
    const listed = await run(settings, '--json', 'staff', 'list')
    expect(JSON.parse(listed.output)).toMatchObject({ staff: [{ wallet: wallet.address, name: 'Ann', scopes: ['read', 'cases'] }] })

    expect(await run(settings, 'staff', 'remove', wallet.address, '--reason', 'left')).toMatchObject({ code: 0, complaint: '' })
    expect(await studio.call('GET', '/cases', { key: token })).toMatchObject({ status: 403, body: { code: 'NOT_STAFF' } })
    expect(await run(settings, 'staff', 'show', wallet.address)).toMatchObject({ code: 0, output: 'staff  -\n' })
  })

  it('says what it does not understand, and that nothing answers', async () => {
    expect(await run({}, 'keys', 'create')).toMatchObject({
      code: 2,
      output: '',
      complaint: expect.stringMatching(/^<name> and --scopes are missing\./),
    })
    expect(await run({}, '--help')).toMatchObject({ code: 0, output: expect.stringContaining('keys create <name>') })
    expect(await run({ PORT: '1' }, 'keys', 'list')).toMatchObject({
      code: 1,
      complaint: 'The product does not answer at http://127.0.0.1:1: is it running?\n',
    })
  })
})

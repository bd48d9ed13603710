import { describe, expect, it } from 'vitest'

import { signInAt } from '../studio/staff/desk-client.ts'
import { refused, useStudio } from '../studio/studio-client.ts'
import { runCommand } from './run-command.ts'

/** Each starts processes, which takes a while on a busy machine. */
describe('the studio on the command line', { timeout: 120_000 }, () => {
  const studio = useStudio()
  const run = (changes: NodeJS.ProcessEnv, ...typed: string[]) =>
    runCommand('studio', { PORT: new URL(studio.origin).port, ...changes }, typed)

  it('makes a key, lists it and revokes it on the running product', async () => {
    const made = await run({}, 'keys', 'create', 'game', '--scopes', 'read')
    expect(made).toMatchObject({ code: 0, complaint: '' })
    const [, key = ''] = /^secret +(jb_\S+)$/m.exec(made.output) ?? []
    const [, id = ''] = /^id +(\S+)$/m.exec(made.output) ?? []
    expect((await studio.call('GET', '/cases', { key })).status).toBe(200)

    const listed = await run({}, '--json', 'keys', 'list')
    expect(JSON.parse(listed.output)).toMatchObject({ keys: [{ id, name: 'game', scopes: ['read'] }], nextCursor: null })

    expect(await run({}, 'keys', 'revoke', id)).toMatchObject({ code: 0 })
    expect((await studio.call('GET', '/cases', { key })).status).toBe(401)
    expect(await run({ STUDIO_API_KEY: key }, 'case', 'list')).toEqual({
      code: 1,
      output: '',
      complaint: 'This studio key was revoked. (401 KEY_REVOKED)\n',
    })
  })

  it('puts a wallet on the staff, lists it and takes it off', async () => {
    const { wallet, token } = await signInAt(studio.origin)

    const set = await run({}, 'staff', 'set', wallet.address, '--scopes', 'read,cases', '--name', 'Ann', '--reason', 'support')
    expect(set).toMatchObject({ code: 0, complaint: '', output: expect.stringMatching(/^scopes +read, cases$/m) })
    expect((await studio.call('GET', '/cases', { key: token })).status).toBe(200)
    const listed = await run({}, '--json', 'staff', 'list')
    expect(JSON.parse(listed.output)).toMatchObject({ staff: [{ wallet: wallet.address, name: 'Ann', scopes: ['read', 'cases'] }] })

    expect(await run({}, 'staff', 'remove', wallet.address, '--reason', 'left')).toMatchObject({ code: 0, complaint: '' })
    expect(await studio.call('GET', '/cases', { key: token })).toMatchObject(refused(403, 'NOT_STAFF'))
    expect(await run({}, 'staff', 'show', wallet.address)).toMatchObject({ code: 0, output: 'staff  -\n' })
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

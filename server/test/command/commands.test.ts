import { describe, expect, it } from 'vitest'
import { commands, helpText, readCommand, UsageError, replyText, typedCommand } from '../../src/command/commands.ts'

const read = (typed: string) => readCommand((typed.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", '')))

describe('a command', () => {
  it.each<[string, string, string, object?]>([
    ['keys list', 'GET', '/keys'],
    ['keys list --cursor a&b', 'GET', '/keys?cursor=a%26b'],
    ['keys create game --scopes read,credit', 'POST', '/keys', { name: 'game', scopes: ['read', 'credit'] }],
    [
      "keys create 'the game' --scopes=credit --daily-credit-limit 5 --expires 2030-01-31T00:00:00Z",
      'POST',
      '/keys',
      { name: 'the game', scopes: ['credit'], dailyCreditLimit: 5, expiresAt: '2030-01-31T00:00:00Z' },
    ],
    ['keys revoke a/../b', 'DELETE', '/keys/a%2F..%2Fb'],
    ['staff list', 'GET', '/staff'],
    ['staff show W', 'GET', '/staff/W'],
    ['staff set W', 'PUT', '/staff/W', {}],
    [
      "staff set W --scopes read,admin --name Ann --reason 'she starts today'",
      'PUT',
      '/staff/W',
      { scopes: ['read', 'admin'], name: 'Ann', reason: 'she starts today' },
    ],
    ['staff remove W', 'DELETE', '/staff/W'],
    ['staff remove W --reason left', 'DELETE', '/staff/W?reason=left'],
    ['pause show', 'GET', '/pause'],
    ['pause on back at noon', 'PUT', '/pause', { message: 'back at noon' }],
    ["pause on 'back at noon'", 'PUT', '/pause', { message: 'back at noon' }],
    ['pause off', 'DELETE', '/pause'],
    ['block show W', 'GET', '/blocks/W'],
    ['block on W --reason bot --remove-listings', 'PUT', '/blocks/W', { reason: 'bot', removeListings: true }],
    ['block on W --reason bot --until 2030-01-31T00:00:00Z', 'PUT', '/blocks/W', { reason: 'bot', until: '2030-01-31T00:00:00Z' }],
    ['block off W', 'DELETE', '/blocks/W'],
    ['case list', 'GET', '/cases'],
    ['case list --status all --wallet W', 'GET', '/cases?wallet=W&status=all'],
    ["case close C --reason 'paid back'", 'POST', '/cases', { caseId: 'C', note: 'paid back' }],
    ['purchase list --listing L --signature S', 'GET', '/purchases?signature=S&listingId=L'],
    ['purchase show P', 'GET', '/purchases/P'],
    ['purchase release P --reason gone', 'POST', '/purchases/P/release', { reason: 'gone' }],
  ])('%s calls %s %s', (typed, method, path, body) => {
    const call = read(typed)
    expect([call?.method, decodeURI(call?.path ?? '')]).toEqual([method, decodeURI(path)])
    expect(call?.body).toEqual(body)
  })

  it.each([
    ['nothing', 'There is no command nothing. There are:\n  keys list'],
    ['keys', 'There is no command keys. There are:\n  keys list'],
    ['keys make', 'There is no command keys make. There are:\n  keys list'],
    ['keys create', '<name> and --scopes are missing.'],
    ['keys create game', '--scopes is missing. It is: keys create <name> --scopes'],
    ['keys create game --scopes read --daily-credit-limit many', '--daily-credit-limit must be a whole number.'],
    ['keys list --wallet W', "Unknown option '--wallet'. It is: keys list"],
    ['keys revoke', '<id> is missing.'],
    ['pause on', '<message> is missing.'],
    ['block on W', '--reason is missing.'],
    ['block on W --reason he is a bot', 'is a bot is too much: put quotes around words that belong together.'],
    ['case close C', '--reason is missing.'],
    ['purchase show P Q', 'Q is too much'],
  ])('%s is not understood: %s', (typed, said) => {
    expect(() => read(typed)).toThrow(UsageError)
    expect(() => read(typed)).toThrow(said)
  })

  it('is explained to whoever asks, and each has its line', () => {
    for (const typed of ['', 'help', '--help', 'keys --help', 'keys create -h']) expect(read(typed)).toBeUndefined()
    for (const name of Object.keys(commands)) expect(helpText()).toContain(`  ${name}`)
  })
})

describe('a reply for a person', () => {
  it('shows each item of a list with its fields, and how to go on', () => {
    const keys = [
      { id: '2', scopes: ['read', 'credit'], expiresAt: null },
      { id: '1', scopes: ['read'], expiresAt: null },
    ]
    expect(replyText({ keys, nextCursor: '1' })).toBe(
      'id         2\nscopes     read, credit\nexpiresAt  -\n\nid         1\nscopes     read\nexpiresAt  -\n\nThere are more: --cursor 1',
    )
    expect(replyText({ keys: [], nextCursor: null })).toBe('no keys')
    expect(replyText(null)).toBe('Done.')
  })

  it('cannot steer the terminal', () => {
    expect(replyText({ case: { note: 'a\u001b[2Jb\nc' } })).toBe('note  a [2Jb c')
  })
})

it.each([
  ['/opt/juicebar/start.mjs', 'case list', 'node start.mjs studio case list'],
  ['/opt/juicebar/start.mjs', '', 'node start.mjs studio'],
  ['/srv/juicebar/server/dist/studio.js', 'case list', 'npm run studio -- case list'],
  ['/srv/juicebar/server/dist/studio.js', '', 'npm run studio'],
])('a command of %s is typed as there', (started, words, typed) => {
  expect(typedCommand('studio', words, started)).toBe(typed)
})

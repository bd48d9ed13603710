import { expect, it } from 'vitest'

import { typedCommand } from '../../src/command/typed-command.ts'

it.each([
  ['/opt/juicebar/start.mjs', 'case list', 'node start.mjs studio case list'],
  ['/opt/juicebar/start.mjs', '', 'node start.mjs studio'],
  ['/srv/juicebar/server/dist/studio.js', 'case list', 'npm run studio -- case list'],
  ['/srv/juicebar/server/dist/studio.js', '', 'npm run studio'],
])('a command of %s is typed as there', (started, words, typed) => {
  expect(typedCommand('studio', words, started)).toBe(typed)
})

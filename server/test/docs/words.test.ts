import { expect, it } from 'vitest'

import { listFiles, readText } from './repository.ts'

/** Words that the product does not use, and what it says instead (docs/glossary.md). */
const banned: readonly (readonly [RegExp, string])[] = [
  [/lots?/, 'listing'],
  [/clues?/, 'candidate'],
  [/evidence(?!\.md)/, 'chain snapshot, or proof'],
  [/stray (?:payments?|transactions?)/, 'unmatched payment'],
  [/twin holds?/, 'ambiguous hold'],
  [/barred/, 'cooldown'],
  [/hand(?:ed|s|ing)? in/, 'submit'],
  [/prove[sd]? dead/, 'prove expired'],
  [/hidden transfers?/, 'inner transfer'],
  [/anew/, 'again'],
]

const endings = ['.ts', '.tsx', '.mjs', '.sql', '.md', '.css', '.html', '.yml']
/** Migrations never change once they are released, so some keep the words of their time. */
const exempt = /^server\/migrations\/00(?:[0-2]\d|3[0-3])-|^server\/test\/upgrade\/0\.2\.0\.sql$|^server\/test\/docs\/words\.test\.ts$/

/** The banned words in a text: each with its line and its replacement. Words inside names, as in `oldLots`, count as words. */
function findBanned(text: string): string[] {
  const words = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').replaceAll('_', ' ')
  return banned.flatMap(([word, instead]) =>
    [...words.matchAll(new RegExp(`\\b(?:${word.source})\\b`, 'gi'))].map(
      ({ 0: found, index }) => `line ${words.slice(0, index).split('\n').length}: ${found}; say ${instead}`,
    ),
  )
}

it('finds a banned word in a sentence and in a name', () => {
  expect(findBanned('One\nlot.')).toEqual(['line 2: lot; say listing'])
  expect(findBanned('const soldLots = 1')).toEqual(['line 1: Lots; say listing'])
  expect(findBanned('slots, allot, listing')).toEqual([])
})

it('one thing has one name, in code, documents and on the page', async () => {
  const files = endings.flatMap((ending) => listFiles(ending)).filter((path) => !exempt.test(path))
  expect(files.length).toBeGreaterThan(1_000)
  const found = await Promise.all(files.map(async (path) => findBanned(await readText(path)).map((what) => `${path}, ${what}`)))
  expect(found.flat()).toEqual([])
})

import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { type HistoryPart, type SignatureEntry } from '../../../src/chain/chain.ts'
import {
  beginSearch,
  changedSearches,
  continueSearch,
  decidedTo,
  type HistorySearch,
  isUnprovable,
  MAX_PAGES,
} from '../../../src/purchases/reconciliation/history-search.ts'

const named = (text: string) => text as Signature
const begun = (endpoint = 'one') => beginSearch('purchase', endpoint, 'buyer')
const part = (changes: Partial<Extract<HistoryPart, { kind: 'part' }>> = {}): HistoryPart => {
  return { kind: 'part', entries: [], older: undefined, pages: 1, ...changes }
}
const pruned: HistoryPart = { kind: 'pruned', firstSlot: 500n }
const obstructed = (endpoint: string): HistorySearch => continueSearch(begun(endpoint), pruned)

describe('the search of a history', () => {
  it('remembers where it stopped until it has listed everything', () => {
    const first = continueSearch(begun(), part({ older: named('x'), pages: 5 }))
    expect(first).toMatchObject({ listedTo: 'x', pages: 5, listed: false, obstacle: null })
    const second = continueSearch(first, part({ pages: 2 }))
    expect(second).toMatchObject({ listedTo: null, pages: 7, listed: true, obstacle: null })
    expect(continueSearch(second, part({ older: named('y') }))).toEqual(second)
  })

  it('meets an obstacle if there are too many pages, and none if the last of them ends it', () => {
    const almost = { ...begun(), pages: MAX_PAGES - 5 }
    expect(continueSearch(almost, part({ older: named('x'), pages: 5 })).obstacle).toBe('too_many_pages')
    expect(continueSearch(almost, part({ pages: 5 }))).toMatchObject({ obstacle: null, listed: true })
    expect(continueSearch(almost, part({ older: named('x'), pages: 4 })).obstacle).toBeNull()
  })

  it('meets an obstacle if the endpoint keeps no blocks that old, whatever it was doing', () => {
    for (const search of [begun(), { ...begun(), listed: true, decidedTo: named('x') }]) {
      expect(continueSearch(search, pruned)).toMatchObject({ obstacle: 'pruned', firstSlot: 500n })
    }
  })

  it('begins again if the endpoint does not know where it stopped', () => {
    const lost = { ...begun(), pages: 9, listed: true, decidedTo: named('x') }
    expect(continueSearch(lost, { kind: 'unknownStart' })).toEqual(begun())
  })

  it('is saved only where it has changed', () => {
    const stopped = continueSearch(begun(), part({ older: named('x') }))
    expect(changedSearches([begun(), stopped], [])).toEqual([stopped])
    expect(changedSearches([stopped], [stopped])).toEqual([])
    expect(changedSearches([begun()], [stopped])).toEqual([begun()])
  })
})

describe('what is decided of a history', () => {
  const entry = (slot: bigint): SignatureEntry => ({ signature: named(`at ${slot}`), slot, failed: false })
  const history = [50n, 40n, 30n, 20n].map(entry)
  const except = (...open: bigint[]) => decidedTo(history, 45n, ({ slot }) => !open.includes(slot))

  it('reaches down to the first that is not', () => {
    expect(except()).toBe('at 20')
    expect(except(20n)).toBe('at 30')
    expect(except(30n)).toBe('at 40')
    expect(except(40n, 20n)).toBeUndefined()
  })

  it('is remembered by a finalized signature, and later ones cannot have paid in time', () => {
    expect(except(50n)).toBe('at 20')
    expect(decidedTo(history.slice(0, 1), 45n, () => true)).toBeUndefined()
  })
})

describe('a hold is unprovable', () => {
  it.each<[string, boolean, HistorySearch[], string[]]>([
    ['every endpoint has an obstacle', true, [obstructed('one'), obstructed('two')], ['one', 'two']],
    ['one of them has another address without one', true, [obstructed('one'), { ...begun(), address: 'reference' }], ['one']],
    ['one has none', false, [obstructed('one'), begun('two')], ['one', 'two']],
    ['one was never searched, as in an outage', false, [obstructed('one')], ['one', 'two']],
    ['the endpoint with the obstacle is no longer named', false, [obstructed('one')], ['two']],
    ['no endpoint is named', false, [obstructed('one')], []],
  ])('if %s: %s', (_, unprovable, searches, endpoints) => {
    expect(isUnprovable(searches, endpoints)).toBe(unprovable)
  })
})

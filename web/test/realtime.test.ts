import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { showsNewest } from '../src/realtime/apply-event.ts'
import { fillPath } from '../src/api/client.ts'
import { growingPause } from '../src/api/growing-pause.ts'
import { createEventParser, marketEventOf } from '../src/realtime/follow-events.ts'
import { listing } from './support/listing.ts'

describe('server-sent events', () => {
  const stream =
    ': hello\n\nid: 7\nevent: listing.sold\ndata: {"a":1,\ndata: "b":2}\n\nid: 8\r\nevent: ready\r\ndata: {}\r\n\r\nretry: 5\n\n'

  function parse(pieces: readonly string[]) {
    const events: { id: string | undefined; event: object }[] = []
    const waits: number[] = []
    const parser = createEventParser({ onEvent: (event, id) => events.push({ id, event }), onRetry: (wait) => waits.push(wait) })
    for (const piece of pieces) parser.feed(piece)
    expect(waits).toEqual([5])
    return events
  }

  test('are read from a stream, without its comments', () => {
    expect(parse([stream])).toEqual([
      { id: '7', event: { type: 'listing.sold', a: 1, b: 2 } },
      { id: '8', event: { type: 'ready' } },
    ])
  })

  test('come out the same wherever the stream is cut', () => {
    const whole = parse([stream])
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
        expect(parse(edges.slice(1).map((end, index) => stream.slice(edges[index], end)))).toEqual(whole)
      }),
    )
  })

  test('have the type that the stream names, and without one are no events', () => {
    expect(marketEventOf({ event: undefined, data: '{}' })).toBeUndefined()
    expect(marketEventOf({ event: 'balance.changed', data: '{"type":"x"}' })).toEqual({ type: 'balance.changed' })
  })
})

test('attempts to reconnect begin when the server asks for it, and spread out, ten seconds apart at most', () => {
  expect(growingPause(0, 2_000, 0)).toBe(2_000)
  expect(growingPause(0, 2_000, 1)).toBe(3_000)
  expect(growingPause(1, 2_000, 0)).toBe(4_000)
  expect(growingPause(50, 2_000, 0)).toBeGreaterThan(6_000)
  expect(growingPause(50, 2_000, 1)).toBeLessThan(10_000)
})

test('a new listing is put on top only of lists that would show it there', () => {
  const created = listing({ seller: 'AbcSeller', tokenType: 'GRAPE_SODA', tokenName: 'Grape Soda' })
  expect(showsNewest({}, created)).toBe(true)
  expect(showsNewest({ sort: 'newest', search: 'GRAPE', tokenType: 'GRAPE_SODA' }, created)).toBe(true)
  expect(showsNewest({ search: 'bcsel' }, created)).toBe(true)
  expect(showsNewest({ search: 'apple' }, created)).toBe(false)
  expect(showsNewest({ tokenType: 'APPLE_JUICE' }, created)).toBe(false)
  expect(showsNewest({ sort: 'price' }, created)).toBe(false)
})

test('paths are filled and escaped, empty query fields left out', () => {
  expect(fillPath('/api/x/:id/y', { params: { id: 'a/b' } })).toBe('/api/x/a%2Fb/y')
  expect(fillPath('/l', { query: { search: 'a b', cursor: '', sort: undefined, limit: 5 } })).toBe('/l?search=a+b&limit=5')
})

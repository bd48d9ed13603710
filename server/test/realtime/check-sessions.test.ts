import { describe, expect, it } from 'vitest'

import { createSessionCheck } from '../../src/realtime/check-sessions.ts'
import { PLAYER } from '../http/test-server.ts'

function open() {
  let millis = 0
  let live: Set<string> | undefined = new Set(['mine', 'theirs'])
  const ended: string[] = []
  const session = (id: string) => ({ session: { id, player: PLAYER } })
  const readers = new Set<{ session: { id: string; player: typeof PLAYER } | undefined }>([
    session('mine'),
    session('theirs'),
    { session: undefined },
  ])
  const leave = (how: string) => (reader: { session: { id: string } | undefined }) => {
    ended.push(`${reader.session?.id} ${how}`)
    readers.delete(reader as never)
  }
  const check = createSessionCheck({
    readers,
    findLiveSessions: async () => {
      if (!live) throw new Error('the database is away')
      return live
    },
    end: leave('ended'),
    giveUp: leave('given up'),
    clock: () => millis,
  })
  return {
    ended,
    check: () => check().catch(() => 'failed'),
    pass: (more: number) => void (millis += more),
    answer: (ids: string[] | undefined) => (live = ids && new Set(ids)),
  }
}

describe('the check of sessions', () => {
  it('ends the streams of dead sessions only', async () => {
    const world = open()
    await world.check()
    world.answer(['theirs'])
    await world.check()
    expect(world.ended).toEqual(['mine ended'])
  })

  it('that fails for less than a minute ends no stream, and then those that have died', async () => {
    const world = open()
    await world.check()
    world.answer(undefined)
    for (let round = 0; round < 29; round++) {
      world.pass(2_000)
      expect(await world.check()).toBe('failed')
    }
    expect(world.ended).toEqual([])
    world.answer(['mine'])
    await world.check()
    expect(world.ended).toEqual(['theirs ended'])
  })

  it('that fails for more than a minute gives up all that are signed in', async () => {
    const world = open()
    world.answer(undefined)
    await world.check()
    world.pass(60_001)
    await world.check()
    expect(world.ended).toEqual(['mine given up', 'theirs given up'])
  })
})

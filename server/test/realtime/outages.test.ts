import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Session } from '../../src/http/credentials.ts'
import { startAnnouncingOutages, createSessionCheck } from '../../src/realtime/broadcast-events.ts'
import { PLAYER } from '../http/test-server.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function follow() {
  let readAt = Date.now()
  let away = false
  const sent: string[] = []
  const feed = { age: () => (away ? (Date.now() - readAt) / 1_000 : 0) }
  onTestFinished(startAnnouncingOutages(feed, { sendAll: (frame) => void sent.push(frame.toString()) }))
  return {
    lose: () => {
      readAt = Date.now()
      away = true
    },
    find: () => (away = false),
    told: (seconds: number) => {
      vi.advanceTimersByTime(seconds * 1_000)
      return sent.splice(0)
    },
  }
}

const began = (age: number) => `event: outage.began\ndata: {"type":"outage.began","age":${age}}\n\n`
const ended = 'event: outage.ended\ndata: {"type":"outage.ended"}\n\n'

describe('the streams of a server whose database is away', () => {
  it('are told after three seconds, again every fifteen, and when it is back', () => {
    const { lose, find, told } = follow()
    expect(told(10)).toEqual([])
    lose()
    expect(told(2.5)).toEqual([])
    expect(told(0.5)).toEqual([began(3)])
    expect(told(14.5)).toEqual([])
    expect(told(0.5)).toEqual([began(18)])
    find()
    expect(told(0.5)).toEqual([ended])
    expect(told(60)).toEqual([])
  })

  it('hear nothing of one that is away for a moment', () => {
    const { lose, find, told } = follow()
    lose()
    expect(told(2.5)).toEqual([])
    find()
    expect(told(10)).toEqual([])
  })
})

/** Two players' streams and a visitor's, and what becomes of them when their sessions are checked. */
function openStreams() {
  let millis = 0
  let live: string[] | undefined = ['mine', 'theirs']
  const left: string[] = []
  const reader = (id: string) => ({ session: { id, player: PLAYER } })
  const readers = new Set<{ session: Session | undefined }>([reader('mine'), reader('theirs'), { session: undefined }])
  const leave = (how: string) => (reader: { session: Session | undefined }) => {
    left.push(`${reader.session?.id} ${how}`)
    readers.delete(reader)
  }
  const check = createSessionCheck({
    readers,
    findLiveSessions: async () => {
      if (!live) throw new Error('the database is away')
      return new Set(live)
    },
    end: leave('ended'),
    giveUp: leave('given up'),
    clock: () => millis,
  })
  return {
    left,
    check: () => check().catch(() => 'failed'),
    pass: (more: number) => void (millis += more),
    answer: (ids: string[] | undefined) => (live = ids),
  }
}

describe('the check of sessions', () => {
  it('ends the streams of dead sessions only', async () => {
    const { left, check, answer } = openStreams()
    await check()
    answer(['theirs'])
    await check()
    expect(left).toEqual(['mine ended'])
  })

  it('that fails for less than a minute ends no stream, and then those that have died', async () => {
    const { left, check, pass, answer } = openStreams()
    await check()
    answer(undefined)
    for (let round = 0; round < 29; round++) {
      pass(2_000)
      expect(await check()).toBe('failed')
    }
    expect(left).toEqual([])
    answer(['mine'])
    await check()
    expect(left).toEqual(['theirs ended'])
  })

  it('that fails for more than a minute gives up all that are signed in', async () => {
    const { left, check, pass, answer } = openStreams()
    answer(undefined)
    await check()
    pass(60_001)
    await check()
    expect(left).toEqual(['mine given up', 'theirs given up'])
  })
})

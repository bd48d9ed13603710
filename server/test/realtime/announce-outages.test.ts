import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { startAnnouncingOutages } from '../../src/realtime/announce-outages.ts'

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

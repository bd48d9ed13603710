import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { compress } from '../../src/http/api/compression.ts'
import { createPageCache } from '../../src/market/page-cache.ts'
import { readFirstPage } from '../../src/market/read-first-page.ts'

/** Pages age, and patience ends, by this clock. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const lost = async (): Promise<string> => {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
}
const busy = async (): Promise<string> => {
  throw new Error('timeout exceeded when trying to connect')
}
const never = () => new Promise<string>(() => undefined)

async function cacheWithCopy() {
  const pageCache = createPageCache({ lastEventId: () => undefined, compress })
  await pageCache.get('a', async () => 'the page as it was')
  pageCache.clear()
  vi.advanceTimersByTime(20_000)
  let isUp = false
  return {
    pageCache,
    probeDatabase: async () => {
      if (!isUp) throw new Error('no answer')
    },
    setUp: () => void (isUp = true),
  }
}

const order = (render: () => Promise<string>, takesCopy = true) => ({ url: 'a', render, takesCopy })

describe('a first page', () => {
  it('that cannot be read while the database is away is its copy, with its age', async () => {
    const world = await cacheWithCopy()
    expect(await readFirstPage(world, order(lost))).toMatchObject({ copy: { page: { json: 'the page as it was' }, ageSeconds: 20 } })
  })

  it('that is never answered is its copy, too: a connection can be lost in silence', async () => {
    const world = await cacheWithCopy()
    expect(await readFirstPage(world, order(never))).toMatchObject({ copy: { ageSeconds: 20 } })
  })

  it('is no copy for a caller with a session', async () => {
    const world = await cacheWithCopy()
    await expect(readFirstPage(world, order(lost, false))).rejects.toThrow('ECONNREFUSED')
  })

  it('is no copy while the database is up, even if it is too busy to answer', async () => {
    const world = await cacheWithCopy()
    world.setUp()
    await expect(readFirstPage(world, order(busy))).rejects.toThrow('timeout exceeded')
  })

  it('is waited for while the database is up, however long it takes', async () => {
    const world = await cacheWithCopy()
    world.setUp()
    let finish: ((json: string) => void) | undefined
    let probed = false
    const probeDatabase = async () => void (probed = true)
    const reading = readFirstPage(
      { ...world, probeDatabase },
      order(() => new Promise((resolve) => (finish = resolve))),
    )
    await vi.waitFor(() => expect(probed).toBe(true), { timeout: 5_000 })
    finish?.('the page as it is')
    expect(await reading).toMatchObject({ page: { json: 'the page as it is' } })
  })

  it('that was read more than a minute ago is not shown any more', async () => {
    const world = await cacheWithCopy()
    vi.advanceTimersByTime(40_001)
    await expect(readFirstPage(world, order(lost))).rejects.toThrow('ECONNREFUSED')
  })

  it('is no copy if something else is wrong than the database', async () => {
    const world = await cacheWithCopy()
    await expect(
      readFirstPage(
        world,
        order(() => Promise.reject(new Error('a fault of ours'))),
      ),
    ).rejects.toThrow('a fault of ours')
  })
})

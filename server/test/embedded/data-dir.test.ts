import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DataDirError, openDataDir } from '../../src/embedded/data-dir.ts'
import { killNow, startHolder } from './start-holder.ts'
import { tempFolder } from './temp-folder.ts'

/** Opens a data folder until the test is over. */
async function open(...given: Parameters<typeof openDataDir>) {
  const dataDir = await openDataDir(...given)
  onTestFinished(() => dataDir.release())
  return dataDir
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('a data folder', () => {
  it('is created for its owner alone', async () => {
    const path = join(await tempFolder(), 'deep', 'data')
    expect(await modeOf((await open(path)).path)).toBe('700')
  })

  it('that cannot be created is refused with a sentence', async () => {
    const file = join(await tempFolder({ file: '' }), 'file')
    await expect(openDataDir(join(file, 'data'))).rejects.toThrow(/cannot be used .* Set DATA_DIR/)
  })

  it('is refused to a second process, which is told the id of the first', async () => {
    const path = await tempFolder()
    const { child } = await startHolder(path, 'nothing')
    const opening = openDataDir(path, { waitMillis: 0 })
    await expect(opening).rejects.toThrow(DataDirError)
    await expect(opening).rejects.toThrow(`in use by process ${child.pid}.`)
  })

  it('is locked by exactly one of many concurrent callers', async () => {
    const path = await tempFolder()
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => openDataDir(path, { waitMillis: 0 })))
    const winners = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(winners).toHaveLength(1)
    await winners[0]?.release()
  })

  it('is free again as soon as its holder is killed', async () => {
    const path = await tempFolder()
    const { child } = await startHolder(path, 'nothing')
    await killNow(child)
    expect((await open(path, { waitMillis: 0 })).path).toBe(path)
  })

  it('is opened by a process that waits until its holder ends', async () => {
    const path = await tempFolder()
    const { child } = await startHolder(path, 'nothing')
    let ended: Promise<void> | undefined
    await open(path, {
      onWait: (sentence) => {
        expect(sentence).toContain(`Process ${child.pid} is still using`)
        ended = killNow(child)
      },
    })
    await ended
  })
})

describe('a secret', () => {
  it('is long, unique, and the same after a restart', async () => {
    const path = await tempFolder()
    const first = await openDataDir(path)
    const [jwt, studio] = [await first.secret('JWT_SECRET'), await first.secret('STUDIO_API_KEY')]
    expect(jwt).toMatch(/^[\w-]{43}$/)
    expect(studio).toMatch(/^[\w-]{43}$/)
    expect(studio).not.toBe(jwt)
    await first.release()

    const second = await open(path)
    expect(await second.secret('JWT_SECRET')).toBe(jwt)
  })

  it('is readable by its owner only, even if its file was made readable to others', async () => {
    const path = await tempFolder()
    const dataDir = await open(path)
    const secret = await dataDir.secret('JWT_SECRET')
    const file = join(path, 'JWT_SECRET')
    expect(await modeOf(file)).toBe('600')
    expect(await readFile(file, 'utf8')).toBe(`${secret}\n`)

    await chmod(file, 0o644)
    await dataDir.secret('JWT_SECRET')
    expect(await modeOf(file)).toBe('600')
  })

  it('is never replaced: an empty file is an error', async () => {
    const path = await tempFolder({ JWT_SECRET: '' })
    const dataDir = await open(path)
    await expect(dataDir.secret('JWT_SECRET')).rejects.toThrow('is empty')
  })
})

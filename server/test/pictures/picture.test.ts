import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { readPicture } from '../../src/pictures/picture.ts'
import { plainSvg } from '../brand/brand-folder.ts'

/** As small as a WebP file may be that says how long it is. */
function webp({ length = 12 } = {}): Buffer {
  const content = Buffer.alloc(20)
  content.write('RIFF', 0)
  content.writeUInt32LE(length, 4)
  content.write('WEBPVP8L', 8)
  return content
}

const pathOf = (name: string, content: Buffer) => {
  const picture = readPicture(name, content)
  return typeof picture === 'string' ? picture : picture.path
}

describe('a picture', () => {
  it('is at an address with the hash of its content, which changes with it and with nothing else', () => {
    const content = Buffer.from(plainSvg)
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
    expect(readPicture('cup.svg', content)).toEqual({ path: `/files/cup.${hash}.svg`, type: 'image/svg+xml', content })
    expect(pathOf('cup.svg', Buffer.from(plainSvg))).toBe(`/files/cup.${hash}.svg`)
    expect(pathOf('cup.svg', Buffer.from(`${plainSvg}\n`))).not.toBe(`/files/cup.${hash}.svg`)
  })

  it('may be WebP, if it is that', () => {
    expect(readPicture('cup.webp', webp())).toMatchObject({ type: 'image/webp' })
    expect(readPicture('cup.webp', webp({ length: 11 }))).toBe('is no WebP picture')
    expect(readPicture('cup.webp', Buffer.from(plainSvg))).toBe('is no WebP picture')
    expect(readPicture('cup.svg', webp())).toEqual(expect.any(String))
  })

  it('has at most 100,000 bytes', () => {
    const padded = (bytes: number) => Buffer.from(plainSvg + ' '.repeat(bytes - plainSvg.length))
    expect(readPicture('cup.svg', padded(100_000))).toMatchObject({ type: 'image/svg+xml' })
    expect(readPicture('cup.svg', padded(100_001))).toBe('has 100,001 bytes; a picture may have 100,000')
  })

  it.each(['../cup.svg', 'a/cup.svg', '.svg', '-cup.svg', 'cup.png', 'cup.svg.html', 'cup cup.svg', 'ćup.svg', `${'c'.repeat(65)}.svg`])(
    'is not called %s',
    (name) => {
      expect(readPicture(name, Buffer.from(plainSvg))).toMatch(/^is no file name of letters/)
    },
  )
})

import { createHash } from 'node:crypto'

import { svgProblem } from './svg.ts'

/** In bytes. */
const MAX_PICTURE_BYTES = 100_000
const HASH_LENGTH = 12

/** A picture that this server serves. */
export interface Picture {
  /** Its path on this server, with a hash of its content, so that the content at a path never changes. */
  path: string
  type: 'image/svg+xml' | 'image/webp'
  content: Buffer
}

/** A plain name, for a file beside the one that names it. */
const fileName = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.(svg|webp)$/

/** Whether a file may be a picture by its name: of letters, digits, `-` and `_`, ending in .svg or .webp. */
export function isPictureName(name: string): boolean {
  return fileName.test(name)
}

/** Makes a picture from a file, or returns why it may not be shown, as the rest of a sentence that begins with its name. */
export function readPicture(name: string, content: Buffer): Picture | string {
  const [, base, extension] = fileName.exec(name) ?? []
  if (base === undefined || extension === undefined) return 'is no file name of letters, digits, - and _ that ends in .svg or .webp'
  if (content.length > MAX_PICTURE_BYTES) {
    return `has ${content.length.toLocaleString('en')} bytes; a picture may have ${MAX_PICTURE_BYTES.toLocaleString('en')}`
  }
  const problem = extension === 'svg' ? svgProblem(content) : webpProblem(content)
  if (problem !== undefined) return problem
  const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_LENGTH)
  return { path: `/files/${base}.${hash}.${extension}`, type: extension === 'svg' ? 'image/svg+xml' : 'image/webp', content }
}

/** The container of every WebP file (RFC 9649, section 2.4). */
function webpProblem(content: Buffer): string | undefined {
  const isWebp = content.toString('latin1', 0, 4) === 'RIFF' && /^WEBPVP8[ LX]$/.test(content.toString('latin1', 8, 16))
  return isWebp && content.readUInt32LE(4) === content.length - 8 ? undefined : 'is no WebP picture'
}

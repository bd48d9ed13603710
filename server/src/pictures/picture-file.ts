import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPictureName, type Picture, readPicture } from './picture.ts'

/**
 * Reads a picture of a folder by its name there.
 * @returns the picture, or what is wrong with it as the rest of a sentence that begins with its name
 */
export async function readPictureFile(folder: string, name: string): Promise<Picture | string> {
  // An invalid name never becomes a path.
  if (!isPictureName(name)) return readPicture(name, Buffer.alloc(0))
  try {
    return readPicture(name, await readFile(join(folder, name)))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === undefined) throw error
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
  }
}

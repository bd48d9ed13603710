import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

import { hasErrorCode } from '../error-code.ts'

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

/**
 * The secret kept in a file: 43 URL-safe characters, generated when the file is first asked for and the same from then on.
 * Only the owner can read the file. Throws where the file exists without a secret in it.
 */
export async function readSecretFile(path: string): Promise<string> {
  const known = await readIfThere(path)
  if (known === undefined) return createSecretFile(path)
  if (known === '') throw new Error(`${path} is empty, but a secret is kept there: delete the file to have a new one generated.`)
  await chmod(path, OWNER_ONLY)
  return known
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function createSecretFile(path: string): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  await writeFileSafely(path, `${secret}\n`)
  return secret
}

/** Writes a file that is there whole or not at all, also after a power cut. Only the owner can read it. */
export async function writeFileSafely(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w', OWNER_ONLY)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Makes renames inside a folder outlive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

import { hasErrorCode } from '../error-code.ts'

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

/**
 * The secret in a file that only its owner can read: 43 URL-safe characters, generated if the file does not exist.
 * @throws Error if the file is empty
 */
export async function readSecretFile(path: string): Promise<string> {
  const known = await readIfExists(path)
  if (known === undefined) return createSecretFile(path)
  if (known === '') throw new Error(`${path} is empty, but it should contain a secret. Delete the file to have a new secret generated.`)
  await chmod(path, OWNER_ONLY)
  return known
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function createSecretFile(path: string): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  await writeFileAtomically(path, `${secret}\n`)
  return secret
}

/** Writes a file that only its owner can read. Even after a power cut it is either complete or unchanged. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
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

/** Makes renames in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

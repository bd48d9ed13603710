import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

/** The migrations of this version. */
export const migrationsFolder = new URL('../../migrations', import.meta.url).pathname

/** The migrations of a newer version: those of this one, and these files. */
export async function newerMigrations(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(migrationsFolder, folder, { recursive: true })
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql)
  return folder
}

export const COMPATIBLE = '-- compatible: older servers may run on it\n'

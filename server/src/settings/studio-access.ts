import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type Config } from './config.ts'

/** The address at which the running server answers this machine's commands, and a key that it accepts. */
export interface StudioAccess {
  origin: string
  key: string
}

/** Reads them from the settings, or the key from the data folder. @throws Error with a sentence if there is no key */
export async function readStudioAccess({ host, port, studioApiKey, dataDir }: Config): Promise<StudioAccess> {
  return { origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, key: studioApiKey ?? (await readGeneratedKey(dataDir)) }
}

async function readGeneratedKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'STUDIO_API_KEY')
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`STUDIO_API_KEY is not set, and there is none in ${file}. Give this command the settings of the server.`, { cause })
  })
  return text.trim()
}

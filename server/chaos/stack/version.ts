import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'vite'

/** A version of the server as it is shipped, together with everything that it finds by a relative path. */
export interface Version {
  folder: string
  /** The built `main.js`. */
  serverProgram: string
  /** The built `audit.js`. */
  auditProgram: string
  /** The built `local-chain-process.js`. */
  chainProgram: string
}

const serverFolder = fileURLToPath(new URL('../..', import.meta.url))
const rootFolder = join(serverFolder, '..')

/** Builds this version of the server into a folder. */
export async function buildVersion(folder: string): Promise<Version> {
  const version = versionIn(folder)
  const server = join(folder, 'server')
  await mkdir(server, { recursive: true })
  await build({ configFile: join(serverFolder, 'vite.config.ts'), logLevel: 'warn', build: { outDir: join(server, 'dist') } })
  for (const part of ['migrations', 'functions', 'catalogue']) await cp(join(serverFolder, part), join(server, part), { recursive: true })
  await cp(join(serverFolder, 'package.json'), join(server, 'package.json'))
  await cp(join(rootFolder, 'SECURITY.md'), join(folder, 'SECURITY.md'))
  await symlink(join(rootFolder, 'node_modules'), join(folder, 'node_modules'))
  return version
}

/** Copies a version to a folder and adds a migration. */
export async function addMigration(version: Version, folder: string, { name, sql }: { name: string; sql: string }): Promise<Version> {
  await mkdir(folder)
  for (const part of ['server', 'SECURITY.md', 'node_modules']) {
    await cp(join(version.folder, part), join(folder, part), { recursive: true, verbatimSymlinks: true })
  }
  await writeFile(join(folder, 'server', 'migrations', name), sql)
  return versionIn(folder)
}

function versionIn(folder: string): Version {
  const dist = join(folder, 'server', 'dist')
  return {
    folder,
    serverProgram: join(dist, 'main.js'),
    auditProgram: join(dist, 'audit.js'),
    chainProgram: join(dist, 'local-chain-process.js'),
  }
}

import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { findPrograms } from '../../chaos/patroni/packages.ts'
import { tempFolder } from '../embedded/temp-folder.ts'

async function machineWith(programs: readonly string[], postgresVersions: readonly string[]) {
  const folder = await tempFolder(Object.fromEntries(programs.map((name) => [name, ''])))
  const postgres = join(folder, 'postgresql')
  for (const version of postgresVersions) await mkdir(join(postgres, version), { recursive: true })
  for (const name of programs) await chmod(join(folder, name), 0o755)
  return { path: `/nowhere:${folder}`, postgres, folder }
}

it('names every package that is missing, and how to install them', async () => {
  const machine = await machineWith([], [])
  await expect(findPrograms(machine)).rejects.toThrow(
    "A run on Patroni needs Debian's packages etcd-server, patroni, haproxy and postgresql-15, which are not installed here: " +
      'apt-get install etcd-server patroni haproxy postgresql-15. None of their services needs to run.',
  )
})

it('names one package in the singular', async () => {
  const machine = await machineWith(['etcd', 'patroni', 'haproxy'], ['13'])
  await expect(findPrograms(machine)).rejects.toThrow("needs Debian's package postgresql-15, which is not installed here")
})

it('finds the programs, and the newest PostgreSQL', async () => {
  const { folder, postgres, path } = await machineWith(['etcd', 'patroni', 'haproxy'], ['9.6', '15', '17'])
  expect(await findPrograms({ path, postgres })).toEqual({
    etcd: join(folder, 'etcd'),
    patroni: join(folder, 'patroni'),
    haproxy: join(folder, 'haproxy'),
    postgresFolder: join(postgres, '17', 'bin'),
  })
})

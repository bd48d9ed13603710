import { describe, expect, it } from 'vitest'

import { type ClusterPlan, etcdSettings, haproxyConfig, patroniConfig } from '../../chaos/patroni/recipe.ts'
import { readText } from './repository.ts'

const hosts = ['10.0.0.11', '10.0.0.12', '10.0.0.13']

/** The cluster of the example. */
const example: ClusterPlan = {
  name: 'market',
  etcd: hosts.map((host, index) => ({ name: `etcd${index + 1}`, host, clientPort: 2379, peerPort: 2380 })),
  members: hosts.map((host, index) => ({
    name: `db${index + 1}`,
    host,
    postgresPort: 5432,
    restPort: 8008,
    dataFolder: '/var/lib/postgresql/15/market',
  })),
  network: '10.0.0.0/24',
  balancerPort: 5000,
  postgresFolder: '/usr/lib/postgresql/15/bin',
  passwords: { postgres: 'PASSWORD_OF_POSTGRES', replicator: 'PASSWORD_OF_REPLICATOR' },
}

async function readBlock(language: string): Promise<string | undefined> {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(await readText('docs/high-availability.md'))?.[1]
}

describe('docs/high-availability.md shows what npm run chaos -- --database patroni runs', () => {
  it('as etcd', async () => {
    const [first] = example.etcd
    const settings = Object.entries(etcdSettings(example, first!)).map(([name, value]) => `${name}="${value}"\n`)
    expect(await readBlock('ini')).toBe(settings.join(''))
  })

  it('as Patroni', async () => {
    expect(await readBlock('yaml')).toBe(patroniConfig(example, example.members[0]!))
  })

  it('as HAProxy', async () => {
    expect(await readBlock('haproxy')).toBe(haproxyConfig(example))
  })
})

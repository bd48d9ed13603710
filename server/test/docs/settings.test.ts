import { describe, expect, it } from 'vitest'

import { readConfig } from '../../src/settings/config.ts'
import { readTable, readText } from './repository.ts'

/** A setting's name where the source reads it: `read.text('DATA_DIR')`, `env['JWT_SECRET']`. */
const readings = /\(\s*'([A-Z][A-Z_]+)'/g

const usual = readConfig({})

/** The defaults as the README writes them. The other settings are generated or replace a built-in part. */
const defaults: Record<string, string> = {
  PORT: String(usual.port),
  HOST: usual.host,
  PUBLIC_ORIGIN: usual.publicOrigin.replace(String(usual.port), 'PORT'),
  PRODUCT_NAME: usual.productName,
  TRUST_PROXY: usual.trustProxy === false ? 'off' : '',
  DATA_DIR: usual.dataDir,
  DATABASE_CONNECTIONS: String(usual.databaseConnections),
  DEMO: usual.demo ? 'on' : 'off',
  DEMO_SEED: usual.demoSeed ? 'on' : 'off',
  SETTLE_AT: usual.settleAt,
  HOLD_SECONDS: String(usual.holdSeconds),
  MARKET_FEE_BPS: String(usual.fee.basisPoints),
  WEBHOOK_ALLOW_PRIVATE: usual.webhookAllowPrivate ? 'on' : 'off',
  DRAIN_SECONDS: String(usual.drainSeconds),
  LOG_LEVEL: usual.logLevel,
}

describe('the settings table of the README', () => {
  it('has every setting that the server reads, and no other', async () => {
    const read = [...(await readText('server/src/settings/config.ts')).matchAll(readings)].map(([, name = '']) => name)
    expect((await documented()).map(({ name }) => name).toSorted()).toEqual([...new Set(read)].toSorted())
  })

  it('states the real defaults', async () => {
    const told = (await documented()).filter(({ name }) => name in defaults).map(({ name, value }) => [name, value])
    expect(Object.fromEntries(told)).toEqual(defaults)
  })
})

async function documented(): Promise<{ name: string; value: string }[]> {
  const rows = readTable(await readText('README.md'), '## Settings')
  return rows.map(([name = '', value = '']) => ({ name: name.replaceAll('`', ''), value: /`([^`]+)`/.exec(value)?.[1] ?? '' }))
}

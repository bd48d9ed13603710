import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalChain } from '../../src/embedded/local-chain.ts'
import { callRpc } from '../purchases/trading-world.ts'
import { startTestChain } from '../support/test-chain.ts'

const funded = 'AWvPrMFETXNfnMxeEMbh4g4YUXhHEsStbKmkYRSCLtnH'
const other = '5dEbMXXa19nLdjj9tZKzq9ZQPYVhSxV2eJo4skXNZuzb'
let chain: LocalChain

beforeAll(async () => {
  chain = await startTestChain({ funded })
})
afterAll(() => chain.stop())

const call = (method: string, ...params: unknown[]) => callRpc(chain.rpcUrl, method, params)

/** The process id of the runtime that was started for this port. */
function runtimePid(): number {
  const list = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const ours = ` ${new URL(chain.rpcUrl).port} `
  const line = list.split('\n').find((entry) => entry.includes('local-chain-process') && entry.includes(ours))
  return Number(line?.trim().split(/\s+/)[0])
}

async function killAndAwaitRestart(): Promise<void> {
  const restarted = new Promise<void>((done) => chain.onRestart(done))
  process.kill(runtimePid(), 'SIGKILL')
  await restarted
}

describe('the embedded chain', () => {
  it('sends test SOL', async () => {
    await call('requestAirdrop', other, 2_000_000_000)
    await expect.poll(() => call('getBalance', other)).toMatchObject({ value: 2_000_000_000 })
  })

  it('funds a wallet on every new chain', async () => {
    expect(await call('getBalance', funded)).toMatchObject({ value: 1_000_000_000 })
    await killAndAwaitRestart()
    expect(await call('getBalance', funded)).toMatchObject({ value: 1_000_000_000 })
  })

  it('is replaced by a new, empty chain at the same address when it dies', async () => {
    const genesisHash = await call('getGenesisHash')
    await killAndAwaitRestart()
    expect(await call('getGenesisHash')).not.toBe(genesisHash)
    expect(await call('getBalance', other)).toMatchObject({ value: 0 })
  })

  it('no longer answers once it is stopped', async () => {
    await chain.stop()
    await expect(call('getGenesisHash')).rejects.toThrow('fetch failed')
  })
})

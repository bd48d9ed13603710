import { execFileSync } from 'node:child_process'

import { describe, expect, it, onTestFinished } from 'vitest'

import { startTestChain } from '../support/test-chain.ts'

async function start(funded?: string) {
  const chain = await startTestChain({ funded })
  onTestFinished(() => chain.stop())
  return chain
}

async function call(rpcUrl: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answer: unknown = await reply.json()
  return typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : undefined
}

/** The process id of the runtime that was started for this port. */
function runtimePid(rpcUrl: string): number {
  const list = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const line = list.split('\n').find((entry) => entry.includes('local-chain-process') && entry.includes(` ${new URL(rpcUrl).port} `))
  return Number(line?.trim().split(/\s+/)[0])
}

describe('the embedded chain', () => {
  it('sends test SOL', async () => {
    const { rpcUrl } = await start()
    const address = 'AWvPrMFETXNfnMxeEMbh4g4YUXhHEsStbKmkYRSCLtnH'
    await call(rpcUrl, 'requestAirdrop', address, 2_000_000_000)
    await expect.poll(() => call(rpcUrl, 'getBalance', address)).toMatchObject({ value: 2_000_000_000 })
  })

  it('funds a wallet on every new chain', async () => {
    const wallet = 'AWvPrMFETXNfnMxeEMbh4g4YUXhHEsStbKmkYRSCLtnH'
    const chain = await start(wallet)
    const restarted = new Promise<void>((done) => chain.onRestart(done))
    expect(await call(chain.rpcUrl, 'getBalance', wallet)).toMatchObject({ value: 1_000_000_000 })
    process.kill(runtimePid(chain.rpcUrl), 'SIGKILL')
    await restarted
    expect(await call(chain.rpcUrl, 'getBalance', wallet)).toMatchObject({ value: 1_000_000_000 })
  })

  it('is replaced by a new, empty chain at the same address when it dies', async () => {
    const chain = await start()
    const restarted = new Promise<void>((done) => chain.onRestart(done))
    const genesisHash = await call(chain.rpcUrl, 'getGenesisHash')
    process.kill(runtimePid(chain.rpcUrl), 'SIGKILL')
    await restarted
    expect(await call(chain.rpcUrl, 'getGenesisHash')).not.toBe(genesisHash)
  })

  it('no longer answers once it is stopped', async () => {
    const chain = await start()
    await chain.stop()
    await expect(call(chain.rpcUrl, 'getGenesisHash')).rejects.toThrow('fetch failed')
  })
})

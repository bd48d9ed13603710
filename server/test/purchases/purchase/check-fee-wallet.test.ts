import { type WalletAddress } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { checkFeeWallet } from '../../../src/purchases/purchase/check-fee-wallet.ts'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { createFailureLog } from '../../../src/runtime/outage.ts'
import { ConfigError } from '../../../src/settings/setting-reader.ts'
import { type FrontServer, handOnTo, startFrontServer, status } from '../../chain/rpc/front-server.ts'
import { newKey } from '../../chain/transactions/hand-made.ts'
import { collectLog } from '../../runtime/collected-log.ts'
import { sharedChain } from '../../support/test-chain.ts'

const funded = newKey().address as WalletAddress
const empty = newKey().address as WalletAddress
const problem = `MARKET_FEE_WALLET owns nothing, so Solana would refuse small fees. Send at least 0.00089088 SOL to ${empty}.`
let front: FrontServer

beforeAll(async () => {
  const { rpcUrl, fund } = await sharedChain()
  fund([funded], 1_000_000_000n)
  front = await startFrontServer(handOnTo(rpcUrl))
})

afterAll(() => front.stop())

async function check(fee: Parameters<typeof checkFeeWallet>[0]) {
  const { log, lines } = collectLog()
  const chain = createChain({ endpoints: [front.url], log, probeMillis: 20 })
  onTestFinished(() => chain.stop())
  await chain.start()
  const end = await checkFeeWallet(fee, { chain, log, failures: createFailureLog(log) })
  onTestFinished(end)
  return { told: () => lines.filter(({ feeWallet }) => feeWallet !== undefined).map(({ level, msg }) => [level, msg]) }
}

it('a fee wallet that cannot receive every fee stops the start with a sentence', async () => {
  await expect(check({ basisPoints: 250, wallet: empty })).rejects.toThrow(new ConfigError([problem]))
})

it.each([
  ['that owns enough', { basisPoints: 250, wallet: funded }],
  ['while there is no fee', { basisPoints: 0, wallet: empty }],
  ['that is not set', { basisPoints: 0, wallet: undefined }],
])('a fee wallet %s is no reason not to start', async (_which, fee) => {
  expect((await check(fee)).told()).toEqual([])
})

it('a start without the chain does not wait for it, and what it then says is logged', async () => {
  const { rpcUrl } = await sharedChain()
  front.behave(status(503))
  const { told } = await check({ basisPoints: 250, wallet: empty })
  const unknown = [40, 'the chain does not say what the fee wallet owns; checking again until it does']
  expect(told()).toEqual([unknown])
  front.behave(handOnTo(rpcUrl))
  await expect.poll(told, { timeout: 20_000 }).toEqual([unknown, [50, problem]])
})

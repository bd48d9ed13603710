import { type WalletAddress } from '@juicebar/contract/addresses'
import { solText } from '@juicebar/contract/money'
import { type Logger } from 'pino'
import { type Chain } from '../../chain/chain.ts'
import { type FeeTerms } from './purchase.ts'
import { type FailureLog } from '../../runtime/outage.ts'
import { delay, repeat } from '../../runtime/repeat.ts'
import { ConfigError } from '../../settings/setting-reader.ts'

/** How long the start waits for the chain, which may be down. */
const PATIENCE_MILLIS = 5_000
const AGAIN_MILLIS = 2_000

interface CheckParts {
  chain: Pick<Chain, 'balance' | 'rentExemptMinimum'>
  log: Pick<Logger, 'warn' | 'error'>
  failures: FailureLog
}

/**
 * Checks that the fee wallet can receive any fee: a transfer that leaves it below the rent-exempt minimum would fail, and the sale with it.
 * If the chain does not answer in time, the server starts nevertheless, and an error is logged as soon as it is known.
 *
 * @returns the function that ends the check.
 * @throws ConfigError with a sentence, if the wallet cannot
 */
export async function checkFeeWallet({ basisPoints, wallet }: FeeTerms, { chain, log, failures }: CheckParts): Promise<() => void> {
  if (basisPoints === 0 || wallet === undefined) return () => undefined
  const done = new AbortController()
  const end = () => done.abort()
  const checking = feeWalletProblem(chain, wallet).then(
    (problem) => ({ problem }),
    () => undefined,
  )
  const known = await Promise.race([checking, delay(PATIENCE_MILLIS, done.signal).then(() => undefined)])
  if (known) {
    end()
    if (known.problem !== undefined) throw new ConfigError([known.problem])
    return end
  }
  log.warn({ feeWallet: wallet }, 'the chain does not say what the fee wallet owns; checking again until it does')
  const check = async () => {
    const problem = await feeWalletProblem(chain, wallet)
    if (problem !== undefined) log.error({ feeWallet: wallet }, problem)
    end()
  }
  const failure = 'the fee wallet cannot be checked; trying again'
  void repeat(check, { everyMillis: AGAIN_MILLIS, signal: done.signal, failures, failure })
  return end
}

async function feeWalletProblem(chain: CheckParts['chain'], wallet: WalletAddress): Promise<string | undefined> {
  const [balance, least] = await Promise.all([chain.balance(wallet, { fresh: true }), chain.rentExemptMinimum()])
  if (balance >= least) return undefined
  const owned = balance === 0n ? 'nothing' : `${solText(balance)} SOL`
  return `MARKET_FEE_WALLET owns ${owned}, so Solana would refuse small fees. Send at least ${solText(least - balance)} SOL to ${wallet}.`
}

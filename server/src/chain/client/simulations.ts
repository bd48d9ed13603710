import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { address, type Base64EncodedWireTransaction, blockhash } from '@solana/kit'
import { type Simulation, type SimulationOptions } from '../chain.ts'
import { type ChainRpc } from '../rpc/endpoint.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { blockhashOf, wireTransaction } from '../transactions/message.ts'
import { readSimulation } from '../transactions/simulation.ts'
import { type Outliers, requireInteger } from './finalized-height.ts'
import { type SharedReads } from './shared-reads.ts'

type Refusal = Exclude<Simulation, { kind: 'valid' }>

/** How many endpoints must say that a transaction would fail, if there are as many. */
const WITNESSES = 2

/** Runs transactions without sending them, and believes no endpoint alone that a payment must be refused. */
export class Simulations {
  readonly #pool: RpcPool
  readonly #shared: SharedReads
  readonly #outliers: Outliers

  constructor(pool: RpcPool, shared: SharedReads, outliers: Outliers) {
    this.#pool = pool
    this.#shared = shared
    this.#outliers = outliers
  }

  /** See `simulate` of the port `Chain`. */
  async simulate(transactionBytes: Uint8Array, { awaitsCoSigner }: SimulationOptions = {}): Promise<Simulation> {
    const slotBefore = this.#shared.slotSeen
    const encoded = wireTransaction(transactionBytes)
    const refusals: Refusal[] = []
    const outcome = await this.#pool.askInTurn('payment', async (rpc, endpoint) => {
      const simulation = await (awaitsCoSigner ? simulateIncomplete(rpc, encoded, awaitsCoSigner) : simulateComplete(rpc, encoded))
      if (simulation.kind === 'valid') {
        await this.#outliers.require(endpoint, 'slot', simulation.slot)
        return simulation
      }
      refusals.push(simulation)
      return refusals.filter(({ kind }) => kind === 'fails').length < WITNESSES ? undefined : simulation
    })
    const refused = outcome ?? refusals.find(({ kind }) => kind === 'fails')
    if (refused) return refused
    await this.#requireExpired(blockhashOf(transactionBytes), slotBefore)
    return { kind: 'expired' }
  }

  /**
   * An endpoint that is behind does not know a fresh blockhash yet, and answers as if it were too old. Whoever signed with it had it from an
   * endpoint that had seen it, so no endpoint proves anything that is behind the newest slot of all answers before.
   *
   * @throws Failure CHAIN_DOWN if an endpoint knows the blockhash, or all of them are behind.
   */
  async #requireExpired(signedWith: string, slotBefore: bigint): Promise<void> {
    const answers = await this.#pool.askAll('payment', async (rpc) => {
      const { context, value } = await rpc.isBlockhashValid(blockhash(signedWith), { commitment: 'processed' }).send()
      if (typeof value !== 'boolean') throw new Error('the endpoint did not say whether a blockhash is valid')
      return { slot: requireInteger(context.slot), isValid: value }
    })
    const isKnown = answers.some(({ isValid }) => isValid)
    const isCurrent = answers.some(({ slot }) => slot >= slotBefore)
    if (isKnown || !isCurrent) throw new Failure('CHAIN_DOWN', { cause: new Error('endpoints that are behind do not know a blockhash') })
  }
}

function simulateComplete(rpc: ChainRpc, transaction: Base64EncodedWireTransaction): Promise<Simulation> {
  return readSimulation(rpc.simulateTransaction(transaction, { encoding: 'base64', sigVerify: true, commitment: 'confirmed' }).send())
}

function simulateIncomplete(rpc: ChainRpc, transaction: Base64EncodedWireTransaction, buyer: WalletAddress): Promise<Simulation> {
  const accounts = { addresses: [address(buyer)], encoding: 'base64' } as const
  const config = { encoding: 'base64', sigVerify: false, commitment: 'processed', accounts } as const
  return readSimulation(rpc.simulateTransaction(transaction, config).send(), { withBalance: true })
}

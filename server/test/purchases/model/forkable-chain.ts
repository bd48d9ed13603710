import { base58 } from '@scure/base'
import { type Signature } from '@juicebar/contract/addresses'

import { type Chain } from '../../../src/chain/chain.ts'

/** A real chain on which single transactions can be rolled back: from then on it denies them, and does not take them again. */
export interface ForkableChain extends Chain {
  rollBack(signature: Signature): void
}

export function forkable(chain: Chain): ForkableChain {
  const gone = new Set<string>()
  const stands = (signature: string) => !gone.has(signature)
  return {
    genesisHash: () => chain.genesisHash(),
    isUp: () => chain.isUp(),
    isSaturated: () => chain.isSaturated(),
    balance: (...args) => chain.balance(...args),
    rentExemptMinimum: () => chain.rentExemptMinimum(),
    latestBlockhash: () => chain.latestBlockhash(),
    highestSlot: () => chain.highestSlot(),
    highestBlockHeight: () => chain.highestBlockHeight(),
    isBlockhashValid: (...args) => chain.isBlockhashValid(...args),
    simulate: (...args) => chain.simulate(...args),
    rollBack: (signature) => void gone.add(signature),
    broadcast: async (bytes) => (stands(nameOf(bytes)) ? chain.broadcast(bytes) : undefined),
    statuses: (signatures) => chain.statuses(signatures.filter(stands)),
    transaction: async (signature) => (stands(signature) ? chain.transaction(signature) : undefined),
    recentSignatures: async (...args) => (await chain.recentSignatures(...args)).filter((entry) => stands(entry.signature)),
    finalized: async () => {
      const view = await chain.finalized()
      return {
        ...view,
        signaturesFor: async (...args) => (await view.signaturesFor(...args)).filter((entry) => stands(entry.signature)),
        statusOf: async (signature) => (stands(signature) ? view.statusOf(signature) : undefined),
      }
    },
  }
}

const SIGNATURE_BYTES = 64

/** A transaction is named by its first signature, which stands behind their number. */
function nameOf(transaction: Uint8Array): string {
  return base58.encode(transaction.subarray(1, 1 + SIGNATURE_BYTES))
}

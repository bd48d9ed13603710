import { base58 } from '@scure/base'
import { type Signature } from '@juicebar/contract/addresses'

import { type Chain } from '../../../src/chain/chain.ts'

/** The real chain, which can roll back single transactions: from then on it does not know them and does not accept them again. */
export interface ForkableChain extends Chain {
  rollBack(signature: Signature): void
}

export function forkable(chain: Chain): ForkableChain {
  const rolledBack = new Set<string>()
  const isKept = (signature: string) => !rolledBack.has(signature)
  return {
    genesisHash: () => chain.genesisHash(),
    isUp: () => chain.isUp(),
    endpoints: () => chain.endpoints(),
    isSaturated: () => chain.isSaturated(),
    hasSpare: () => chain.hasSpare(),
    budget: () => chain.budget(),
    balance: (...args) => chain.balance(...args),
    rentExemptMinimum: () => chain.rentExemptMinimum(),
    latestBlockhash: () => chain.latestBlockhash(),
    highestSlot: () => chain.highestSlot(),
    highestBlockHeight: () => chain.highestBlockHeight(),
    expiryHeight: (...args) => chain.expiryHeight(...args),
    simulate: (...args) => chain.simulate(...args),
    rollBack: (signature) => void rolledBack.add(signature),
    broadcast: async (bytes) => (isKept(signatureOf(bytes)) ? chain.broadcast(bytes) : undefined),
    statuses: (signatures, ...args) => chain.statuses(signatures.filter(isKept), ...args),
    finality: (signatures) => chain.finality(signatures.filter(isKept)),
    transaction: async (signature, ...args) => (isKept(signature) ? chain.transaction(signature, ...args) : undefined),
    recentSignatures: async (...args) => (await chain.recentSignatures(...args)).filter((entry) => isKept(entry.signature)),
    finalized: async (options) => {
      const view = await chain.finalized(options)
      return {
        ...view,
        signaturesFor: async (...args) => (await view.signaturesFor(...args)).filter((entry) => isKept(entry.signature)),
        history: async (...args) => {
          const part = await view.history(...args)
          return part.kind === 'part' ? { ...part, entries: part.entries.filter((entry) => isKept(entry.signature)) } : part
        },
        statusOf: async (signature) => (isKept(signature) ? view.statusOf(signature) : undefined),
      }
    },
  }
}

const SIGNATURE_BYTES = 64

/** The first signature of a transaction identifies it. In its bytes, the signatures follow their count. */
function signatureOf(transaction: Uint8Array): string {
  return base58.encode(transaction.subarray(1, 1 + SIGNATURE_BYTES))
}

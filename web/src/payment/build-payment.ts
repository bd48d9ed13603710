import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { type SolanaTransactionVersion } from '@solana/wallet-standard-features'

interface Payment {
  from: string
  transfers: readonly { to: string; lamports: bigint }[]
  reference: string
  /** Who has to sign beside `from`, if anybody. */
  coSigner?: string
  version: SolanaTransactionVersion
  lifetime: { blockhash: string; lastValidBlockHeight: bigint }
}

/**
 * Builds a payment: one System transfer of exact lamports to each recipient, in this order. Each carries the reference as a read-only
 * account that does not sign (as in Solana Pay), so the payment can be found on chain by it, and after it the co-signer, as one that signs.
 *
 * @returns the unsigned transaction bytes
 */
export function buildPayment({ from, transfers, reference, coSigner, version, lifetime }: Payment): Uint8Array {
  const carried = [
    { address: address(reference), role: AccountRole.READONLY },
    ...(coSigner === undefined ? [] : [{ address: address(coSigner), role: AccountRole.READONLY_SIGNER }]),
  ]
  const instructions = transfers.map(({ to, lamports }) => {
    const transfer = getTransferSolInstruction({ source: createNoopSigner(address(from)), destination: address(to), amount: lamports })
    return { ...transfer, accounts: [...transfer.accounts, ...carried] }
  })
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(address(from), empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash(lifetime.blockhash), lastValidBlockHeight: lifetime.lastValidBlockHeight },
        paid,
      ),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  )
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)))
}

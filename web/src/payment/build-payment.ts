import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
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
  to: string
  lamports: bigint
  reference: string
  version: SolanaTransactionVersion
  lifetime: { blockhash: string; lastValidBlockHeight: bigint }
}

/**
 * Builds a payment: one System transfer of exact lamports. It carries the reference as a read-only account that does not sign (as in
 * Solana Pay), so the payment can be found on chain by it.
 *
 * @returns the unsigned transaction bytes
 */
export function buildPayment({ from, to, lamports, reference, version, lifetime }: Payment): Uint8Array {
  const transfer = getTransferSolInstruction({ source: createNoopSigner(address(from)), destination: address(to), amount: lamports })
  const instruction = { ...transfer, accounts: [...transfer.accounts, { address: address(reference), role: AccountRole.READONLY }] }
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(address(from), empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash(lifetime.blockhash), lastValidBlockHeight: lifetime.lastValidBlockHeight },
        paid,
      ),
    (timed) => appendTransactionMessageInstruction(instruction, timed),
  )
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)))
}

import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

interface Payment {
  from: string
  transfers: readonly { to: string; lamports: bigint }[]
  reference: string
  lifetime: { blockhash: string; lastValidBlockHeight: bigint }
}

/**
 * Builds a payment that a wallet completes and signs: a legacy transaction, which every wallet reads, with one System transfer to each
 * recipient. Each carries the reference as a read-only account that does not sign, so it survives anything that the wallet replaces.
 *
 * @returns the transaction without a signature, in base64
 */
export function unsignedPayment({ from, transfers, reference, lifetime }: Payment): string {
  const carried = { address: address(reference), role: AccountRole.READONLY }
  const source = createNoopSigner(address(from))
  const instructions = transfers.map(({ to, lamports: amount }) => {
    const transfer = getTransferSolInstruction({ source, destination: address(to), amount })
    return { ...transfer, accounts: [...transfer.accounts, carried] }
  })
  const { lastValidBlockHeight } = lifetime
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayer(address(from), empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(lifetime.blockhash), lastValidBlockHeight }, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  )
  return getBase64EncodedWireTransaction(compileTransaction(message))
}

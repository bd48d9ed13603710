import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash as asBlockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionDecoder,
  type Instruction,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
} from '@solana/kit'
import { type WalletAddress } from '@juicebar/contract/addresses'

import { type Chain } from '../../../src/chain/chain.ts'
import { otherSignature } from '../../../chaos/players/second-signature.ts'
import { type Payer, type SignedPayment, signedPayment, transfer } from '../transactions.ts'

/** A System transfer that carries a reference, and the co-signer as a signer that is read-only. */
export function coSignedTransfer(
  from: Payer,
  to: WalletAddress,
  amount: bigint,
  names: { reference: string; coSigner: string },
): Instruction {
  const { accounts = [], ...instruction } = transfer(from, to, amount, [names.reference])
  return { ...instruction, accounts: [...accounts, { address: address(names.coSigner), role: AccountRole.READONLY_SIGNER }] }
}

/** Signs a transaction on the latest blockhash for its payer alone, as a wallet does: the places of other signatures are empty. */
export async function signAsBuyer(
  { chain }: { chain: Pick<Chain, 'latestBlockhash'> },
  { signer }: Payer,
  instructions: readonly Instruction[],
  { version = 0 }: { version?: 'legacy' | 0 | undefined } = {},
): Promise<SignedPayment> {
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash()
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayer(signer.address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: asBlockhash(blockhash), lastValidBlockHeight }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  return signedPayment(await partiallySignTransaction([signer.keyPair], compileTransaction(message)))
}

/** The same message under another signature of its payer, whose private key this is. */
export function withOtherSignature(bytes: Uint8Array, seed: Uint8Array): SignedPayment {
  const transaction = getTransactionDecoder().decode(bytes)
  const [[payer] = []] = Object.entries(transaction.signatures)
  if (payer === undefined) throw new Error('a transaction has a payer')
  const signature = signatureBytes(otherSignature(seed, new Uint8Array(transaction.messageBytes)))
  return signedPayment({ ...transaction, signatures: { ...transaction.signatures, [payer]: signature } })
}

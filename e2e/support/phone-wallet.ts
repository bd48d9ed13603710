import {
  type Blockhash,
  compileTransaction,
  decompileTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit'

import { askChain } from './phantom.ts'
import { expect, LAMPORTS_PER_SOL, lamportsOf } from './test.ts'

/**
 * Does what a wallet on a phone does with a scanned payment link: asks for the payment, and returns what signs and sends it, on a blockhash
 * of the wallet's own. The server listens at `origin` instead of the link's public address.
 */
export async function payByPhone(origin: string, url: string): Promise<() => Promise<void>> {
  const link = new URL(decodeURIComponent(url.replace(/^solana:/, '')))
  const signer = await generateKeyPairSigner()
  await askChain(origin, 'requestAirdrop', [signer.address, 5 * LAMPORTS_PER_SOL])
  await expect.poll(() => lamportsOf(origin, signer.address)).toBe(5 * LAMPORTS_PER_SOL)

  const reply = await fetch(origin + link.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account: signer.address }),
  })
  const { transaction, message: why } = (await reply.json()) as { transaction?: string; message: string }
  if (transaction === undefined) throw new Error(why)
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction))
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes))
  return async () => {
    const { value } = (await askChain(origin, 'getLatestBlockhash', [])) as {
      value: { blockhash: Blockhash; lastValidBlockHeight: number }
    }
    const lifetime = { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
    const completed = setTransactionMessageLifetimeUsingBlockhash(lifetime, setTransactionMessageFeePayer(signer.address, message))
    const signed = await signTransaction([signer.keyPair], compileTransaction(completed))
    await askChain(origin, 'sendTransaction', [
      getBase64EncodedWireTransaction(signed),
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ])
  }
}

import { type Player, type Run } from './player.ts'
import { sendTransaction } from './send-transaction.ts'
import { signTransfers, type Wallet } from './wallet.ts'

/** Of a transaction with one signature. */
const FEE_LAMPORTS = 5_000n
/** More than the network's fee of a payment, and than the least that an account may keep. */
const LEFT_LAMPORTS = 2_000_000n

/** Sends the SOL of a buyer to another wallet of its own: nearly all of it, if the fee of its payment is to be left. */
export function drain(run: Run, buyer: Player, { leavesFee }: { leavesFee: boolean }): Promise<void> {
  return buyer.vault ? moveAll(run, buyer.wallet, buyer.vault, leavesFee ? LEFT_LAMPORTS : 0n) : Promise.resolve()
}

/** Sends it back. */
export function refill(run: Run, buyer: Player): Promise<void> {
  return buyer.vault ? moveAll(run, buyer.vault, buyer.wallet, 0n) : Promise.resolve()
}

/** Whoever gets no answer from the chain has moved nothing, and tries again another time. */
async function moveAll({ chain, journal }: Run, from: Wallet, to: Wallet, left: bigint): Promise<void> {
  try {
    const { value } = await chain.call<{ value: number }>('getBalance', [from.address, { commitment: 'processed' }])
    const lamports = BigInt(value) - FEE_LAMPORTS - left
    if (lamports <= 0n) return
    const signed = await signTransfers(chain, from, [{ to: to.address, lamports }], undefined)
    journal.drains.add(signed.signature)
    await sendTransaction(chain, signed)
  } catch {
    return
  }
}

import { AccountRole, address, type Instruction } from '@solana/kit'

import { callRpc } from '../../purchases/trading-world.ts'
import { type Payer } from '../../purchases/transactions.ts'
import { memoProgram } from './transactions.ts'

const computeBudget = 'ComputeBudget111111111111111111111111111111'
const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'

/** The minimum MTU of IPv6 less the headers: what a transaction of version legacy or 0 may have. */
export const MAX_BYTES = 1232
/** The bytes of each guard that Phantom added on mainnet in August 2026: three before the payment and one after it. */
const guardBytes = [17, 52, 16, 27] as const

interface ProgramAccount {
  lamports: number
  owner: string
  data: [string, string]
}

/** The local chain has no Lighthouse. The Memo program in its place accepts the same instructions, if their data is text. */
export async function installLighthouse(rpcUrl: string): Promise<void> {
  const { value } = (await callRpc(rpcUrl, 'getAccountInfo', [memoProgram, { encoding: 'base64' }])) as { value: ProgramAccount }
  const { lamports: balance, owner, data } = value
  const copy = { lamports: balance, owner, executable: true, data: Buffer.from(data[0], 'base64').toString('hex') }
  await callRpc(rpcUrl, 'surfnet_setAccount', [lighthouse, copy])
}

/** What Phantom puts around a payment: a price for its compute units, and guards over the payer's account. */
export function around({ signer }: Payer, guardsBefore: number): { before: Instruction[]; after: Instruction[] } {
  const guards = guardBytes.map((length): Instruction => {
    const accounts = [{ address: signer.address, role: AccountRole.READONLY_SIGNER }]
    return { programAddress: address(lighthouse), accounts, data: new Uint8Array(length).fill(0x67) }
  })
  const limit = { programAddress: address(computeBudget), data: Uint8Array.from([2, 0x80, 0x1a, 6, 0]) }
  const price = { programAddress: address(computeBudget), data: Uint8Array.from([3, 0x88, 0x13, 0, 0, 0, 0, 0, 0]) }
  return { before: [limit, price, ...guards.slice(0, guardsBefore)], after: guards.slice(guardsBefore) }
}

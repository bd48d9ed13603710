import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

import { base58 } from '@scure/base'

/** A key pair whose address is known, for transactions that are put together byte by byte. */
export interface HandMadeKey {
  address: string
  privateKey: KeyObject
}

export interface HandMadeMessage {
  version: 'legacy' | 0
  /** Required signatures, read-only ones of them, read-only accounts that do not sign. */
  header: [number, number, number]
  accounts: string[]
  blockhash: string
  instructions: { program: number; accounts: number[]; data: Uint8Array }[]
  lookups?: { table: string; writable: number[]; readonly: number[] }[]
}

export function newKey(): HandMadeKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { privateKey, address: base58.encode(publicKey.export({ type: 'spki', format: 'der' }).subarray(12)) }
}

/** The message's bytes, after the format in the Solana documentation and without the library under test. */
export function messageBytes(message: HandMadeMessage): Uint8Array {
  const { version, header, accounts, blockhash, instructions, lookups = [] } = message
  return Uint8Array.from([
    ...(version === 0 ? [0x80] : []),
    ...header,
    ...compactArray(accounts, (account) => base58.decode(account)),
    ...base58.decode(blockhash),
    ...compactArray(instructions, ({ program, accounts: used, data }) => [
      program,
      ...compactArray(used, (index) => [index]),
      ...compactLength(data.length),
      ...data,
    ]),
    ...(version === 0 ? compactArray(lookups, lookupBytes) : []),
  ])
}

/** The signed transaction's bytes. */
export function signedBytes(message: Uint8Array, keys: HandMadeKey[]): Uint8Array {
  const signatures = keys.map((key) => sign(null, message, key.privateKey))
  return Uint8Array.from([...compactArray(signatures, (signature) => signature), ...message])
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** The data of a System transfer: instruction 2 and the lamports, little-endian. */
export function transferData(lamports: bigint): Uint8Array {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2, 0)
  data.writeBigUInt64LE(lamports, 4)
  return data
}

function lookupBytes({ table, writable, readonly }: { table: string; writable: number[]; readonly: number[] }): number[] {
  return [...base58.decode(table), ...compactArray(writable, (index) => [index]), ...compactArray(readonly, (index) => [index])]
}

function compactArray<T>(items: readonly T[], bytes: (item: T) => Iterable<number>): number[] {
  return [...compactLength(items.length), ...items.flatMap((item) => [...bytes(item)])]
}

/** Solana's compact-u16: seven bits a byte, the lowest first. */
function compactLength(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, ...compactLength(length >> 7)]
}

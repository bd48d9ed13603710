import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

import { base58 } from '@scure/base'

/** A key pair whose address is known, for transactions that are put together byte by byte. */
export interface HandMadeKey {
  address: string
  privateKey: KeyObject
}

export interface HandMadeMessage {
  version: 'legacy' | 0 | 1
  /** Required signatures, read-only ones of them, read-only accounts that do not sign. */
  header: [number, number, number]
  accounts: string[]
  blockhash: string
  instructions: { program: number; accounts: number[]; data: Uint8Array }[]
  /** Of version 0. */
  lookups?: { table: string; writable: number[]; readonly: number[] }[]
  /** Of version 1: the mask of what is configured, and the values in its order. */
  config?: { mask: number; values: Uint8Array }
}

export function newKey(): HandMadeKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { privateKey, address: base58.encode(publicKey.export({ type: 'spki', format: 'der' }).subarray(12)) }
}

/** The message's bytes, after the format in the Solana documentation and without the library under test. */
export function messageBytes(message: HandMadeMessage): Uint8Array {
  const { version, header, accounts, blockhash, instructions, lookups = [] } = message
  if (version === 1) return messageBytesV1(message)
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

/** As SIMD-0385 lays it out: no lengths in compact form, all instruction headers before what they describe. */
function messageBytesV1({ header, config, accounts, blockhash, instructions }: HandMadeMessage): Uint8Array {
  return Uint8Array.from([
    0x81,
    ...header,
    ...littleEndian(config?.mask ?? 0, 4),
    ...base58.decode(blockhash),
    instructions.length,
    accounts.length,
    ...accounts.flatMap((account) => [...base58.decode(account)]),
    ...(config?.values ?? []),
    ...instructions.flatMap(({ program, accounts: used, data }) => [program, used.length, ...littleEndian(data.length, 2)]),
    ...instructions.flatMap(({ accounts: used, data }) => [...used, ...data]),
  ])
}

/** The signed transaction's bytes: of version 1 the signatures come last, and are not counted. */
export function signedBytes(message: Uint8Array, keys: HandMadeKey[]): Uint8Array {
  const signatures = keys.map((key) => sign(null, message, key.privateKey))
  if (message[0] === 0x81) return Uint8Array.from([...message, ...signatures.flatMap((signature) => [...signature])])
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

/** An integer of that many bytes, the lowest first. */
export function littleEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => Math.floor(value / 2 ** (8 * index)) % 256)
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

import { createHash, sign as cryptoSign } from 'node:crypto'
import { lamports } from '@juicebar/contract/money'
import { ed25519 } from '@noble/curves/ed25519.js'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { base58 } from '@scure/base'
import { address } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolWithSeedInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashMessage, withSignature } from '../../../src/chain/transactions/message.ts'
import { buildPayment, decodeSignedTransaction, isTransaction } from '../../../src/chain/transactions/signed-transaction.ts'
import { isSmallOrderKey } from '../../../src/chain/transactions/keys.ts'
import { forgeSignature, satisfiesEquation } from './forged-signature.ts'
import {
  type HandMadeKey,
  type HandMadeMessage,
  littleEndian,
  messageBytes,
  newKey,
  signedBytes,
  toBase64,
  transferData,
} from './hand-made.ts'
import { memoProgram, newWallet, sign, someBlockhash, walletAddress } from './transactions.ts'

const payer = newKey()
const receiver = newKey().address
const reference = newKey().address
const table = newKey().address
const second = newKey()

const transferOf5 = { program: 2, accounts: [0, 1], data: transferData(5n) }

/** A transfer of 5 lamports with a reference, every byte placed by hand. */
const plain: HandMadeMessage = {
  version: 0,
  header: [1, 0, 2],
  accounts: [payer.address, receiver, SYSTEM_PROGRAM_ADDRESS, reference],
  blockhash: someBlockhash,
  instructions: [{ program: 2, accounts: [0, 1, 3], data: transferData(5n) }],
}

const ofTwo: Partial<HandMadeMessage> = {
  header: [2, 1, 2],
  accounts: [payer.address, second.address, SYSTEM_PROGRAM_ADDRESS, reference],
}

function signedMessage(changes: Partial<HandMadeMessage> = {}, keys = [payer]): Uint8Array {
  return signedBytes(messageBytes({ ...plain, ...changes }), keys)
}

const decode = (bytes: Uint8Array) => decodeSignedTransaction(toBase64(bytes))
const decodeMessage = (changes: Partial<HandMadeMessage>, keys?: HandMadeKey[]) => decode(signedMessage(changes, keys))

describe('a signed transaction', () => {
  test.each(['legacy', 0, 1] as const)('of version %s is read whole', (version) => {
    const bytes = signedMessage({ version })
    expect(decode(bytes)).toEqual({
      bytes,
      message: messageBytes({ ...plain, version }),
      signature: base58.encode(version === 1 ? bytes.slice(-64) : bytes.slice(1, 65)),
      signers: [payer.address],
      signatureStates: ['valid'],
      signaturesValid: true,
      version,
      usesLookupTables: false,
      blockhash: someBlockhash,
      instructions: [
        {
          program: SYSTEM_PROGRAM_ADDRESS,
          accounts: [
            { address: payer.address, signer: true, writable: true },
            { address: receiver, signer: false, writable: true },
            { address: reference, signer: false, writable: false },
          ],
          transfer: { from: payer.address, to: receiver, lamports: 5n },
        },
      ],
    })
  })

  test('shows an account of a lookup table as unknown, and a transfer to it as no transfer that we know', () => {
    const decoded = decodeMessage({
      header: [1, 0, 1],
      accounts: [payer.address, SYSTEM_PROGRAM_ADDRESS],
      instructions: [
        { program: 1, accounts: [0, 2, 3], data: transferData(5n) },
        { program: 1, accounts: [0, 0], data: transferData(7n) },
      ],
      lookups: [{ table, writable: [4], readonly: [9] }],
    })
    expect(decoded).toMatchObject({ signaturesValid: true, usesLookupTables: true })
    expect(decoded?.instructions[0]?.accounts).toEqual([{ address: payer.address, signer: true, writable: true }, undefined, undefined])
    expect(decoded?.instructions.map((instruction) => instruction.transfer)).toEqual([
      undefined,
      { from: payer.address, to: payer.address, lamports: 7n },
    ])
  })

  test('of two signers needs both signatures, in order', () => {
    const both = decodeMessage(ofTwo, [payer, second])
    expect(both).toMatchObject({ signaturesValid: true, signers: [payer.address, second.address], signatureStates: ['valid', 'valid'] })
    expect(both?.instructions[0]?.accounts[1]).toEqual({ address: second.address, signer: true, writable: false })
    const exchanged = decodeMessage(ofTwo, [second, payer])
    expect(exchanged).toMatchObject({ signaturesValid: false, signatureStates: ['invalid', 'invalid'] })
    const twice = decodeMessage(ofTwo, [payer, payer])
    expect(twice).toMatchObject({ signaturesValid: false, signatureStates: ['valid', 'invalid'] })
    expect(decodeMessage(ofTwo, [payer])).toBeUndefined()
  })

  test.each(['legacy', 0, 1] as const)('of version %s that lacks the second signature is read, and says so', (version) => {
    const bytes = signedMessage({ ...ofTwo, version }, [payer, second])
    const at = version === 1 ? bytes.length - 64 : 65
    bytes.fill(0, at, at + 64)
    expect(decode(bytes)).toMatchObject({ signaturesValid: false, signatureStates: ['valid', 'empty'] })
    bytes.fill(1, at, at + 1)
    expect(decode(bytes)).toMatchObject({ signaturesValid: false, signatureStates: ['valid', 'invalid'] })
  })

  test('whose payer has not signed is none', () => {
    const bytes = signedMessage()
    bytes.fill(0, 1, 65)
    expect(decode(bytes)).toBeUndefined()
    expect(isTransaction(toBase64(bytes))).toBe(true)
  })

  test.each(['legacy', 0, 1] as const)('of version %s is invalid or none whichever bit is changed', (version) => {
    const bytes = signedMessage({ version })
    const bit = fc.record({ byte: fc.nat(bytes.length - 1), bit: fc.nat(7) })
    fc.assert(
      fc.property(bit, ({ byte, bit: which }) => {
        const changed = Uint8Array.from(bytes)
        changed[byte] = (changed[byte] ?? 0) ^ (1 << which)
        return decode(changed)?.signaturesValid !== true
      }),
      { numRuns: 300 },
    )
  })

  test('of a key for which signatures can be forged is never valid', () => {
    const weakKey = base58.decode(SYSTEM_PROGRAM_ADDRESS)
    for (let tries = 0; tries < 8; tries++) {
      const weak = { ...plain, accounts: [SYSTEM_PROGRAM_ADDRESS, receiver, memoProgram, reference], blockhash: newKey().address }
      const message = messageBytes(weak)
      const forged = forgeSignature(weakKey, message)
      expect(satisfiesEquation(weakKey, message, forged)).toBe(true)
      const decoded = decode(Uint8Array.from([1, ...forged, ...message]))
      expect(decoded).toMatchObject({ signers: [SYSTEM_PROGRAM_ADDRESS], signaturesValid: false })
    }
  })

  test.each([
    ['followed by a byte', (bytes: Uint8Array) => Uint8Array.from([...bytes, 0])],
    ['cut short', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['with a padded signature count', (bytes: Uint8Array) => Uint8Array.from([0x81, 0, ...bytes.slice(1)])],
    ['empty', () => new Uint8Array()],
  ])('%s is none', (_, change) => {
    const changed = toBase64(change(signedMessage()))
    expect(decodeSignedTransaction(changed)).toBeUndefined()
    expect(isTransaction(changed)).toBe(false)
  })

  test('in sloppy base64 is none', () => {
    const text = toBase64(signedMessage())
    for (const sloppy of [`${text}=`, ` ${text}`, `${text}\n`, text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') + '*']) {
      expect(decodeSignedTransaction(sloppy)).toBeUndefined()
    }
  })

  test.each([
    ['legacy', 1232],
    [0, 1232],
    [1, 4096],
  ] as const)('of version %s is at most %i bytes long', (version, limit) => {
    const withMemo = (length: number) => {
      const memo = { program: 4, accounts: [], data: new Uint8Array(length) }
      const accounts = [...plain.accounts, memoProgram]
      return signedMessage({ version, header: [1, 0, 3], accounts, instructions: [...plain.instructions, memo] })
    }
    const room = limit - withMemo(128).length + 128
    expect(withMemo(room).length).toBe(limit)
    expect(decode(withMemo(room))?.signaturesValid).toBe(true)
    expect(decode(withMemo(room + 1))).toBeUndefined()
  })

  describe.each([0, 1] as const)('of version %s', (version) => {
    test.each<[string, Partial<HandMadeMessage>]>([
      ['no writable payer', { header: [1, 1, 2] }],
      ['more read-only accounts than accounts', { header: [1, 0, 4] }],
      ['one account twice', { accounts: [payer.address, receiver, SYSTEM_PROGRAM_ADDRESS, receiver] }],
      ['a program that is not there', { instructions: [{ program: 4, accounts: [0], data: transferData(5n) }] }],
      ['its payer for a program', { instructions: [{ program: 0, accounts: [0], data: transferData(5n) }] }],
      ['an account that is not there', { instructions: [{ program: 2, accounts: [0, 4], data: transferData(5n) }] }],
    ])('with %s is none', (_, change) => {
      expect(decodeMessage({ version, ...change })).toBeUndefined()
    })
  })

  test.each<[string, Partial<HandMadeMessage>]>([
    [
      'a program from a lookup table',
      { lookups: [{ table, writable: [1], readonly: [] }], instructions: [{ ...transferOf5, program: 4 }] },
    ],
    ['an empty lookup', { lookups: [{ table, writable: [], readonly: [] }] }],
  ])('with %s is none', (_, change) => {
    expect(decodeMessage(change)).toBeUndefined()
  })

  test('of a version that the network does not know is none', () => {
    const bytes = signedMessage({ version: 1 })
    for (const first of [0x80, 0x82, 0xff]) expect(decode(Uint8Array.from([first, ...bytes.slice(1)]))).toBeUndefined()
  })

  test('of version 1 with its signature first is none', () => {
    const message = messageBytes({ ...plain, version: 1 })
    const signature = signedBytes(message, [payer]).slice(-64)
    expect(decode(Uint8Array.from([1, ...signature, ...message]))).toBeUndefined()
  })

  test('counts a transfer with seed as a transfer, and neither account creation nor other programs', async () => {
    const { signer } = await newWallet()
    const other = await newWallet()
    const withSeed = getTransferSolWithSeedInstruction({
      source: address(reference),
      baseAccount: signer,
      destination: address(receiver),
      amount: 9n,
      fromSeed: 'till',
      fromOwner: SYSTEM_PROGRAM_ADDRESS,
    })
    const ofSystem = { space: 0n, programAddress: SYSTEM_PROGRAM_ADDRESS }
    const creation = getCreateAccountInstruction({ payer: signer, newAccount: other.signer, lamports: 9n, ...ofSystem })
    const alike = { programAddress: address(memoProgram), data: transferData(5n) }
    const decoded = decodeSignedTransaction(await sign(0, signer, [withSeed, creation, alike]))
    expect(decoded?.signaturesValid).toBe(true)
    expect(decoded?.instructions.map((instruction) => instruction.transfer)).toEqual([
      { from: reference, to: receiver, lamports: 9n },
      undefined,
      undefined,
    ])
  })

  test('with data after the amount is still a transfer, as the System program takes it', () => {
    const data = Uint8Array.from([...transferData(5n), 1, 2, 3])
    const decoded = decodeMessage({ instructions: [{ program: 2, accounts: [0, 1], data }] })
    expect(decoded?.instructions[0]?.transfer).toEqual({ from: payer.address, to: receiver, lamports: 5n })
  })
})

describe('a built payment', () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes))
  const distinct = fc.uniqueArray(bytes32, { minLength: 4, maxLength: 4 }).filter((keys) => !keys.includes(SYSTEM_PROGRAM_ADDRESS))

  test('decodes to exactly what it was built from', () => {
    const amount = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
    fc.assert(
      fc.property(distinct, amount, amount, bytes32, ([from = '', to = '', other = '', ref = ''], value, second, blockhash) => {
        const transfers = [
          { to: walletAddress(to), lamports: lamports(value) },
          { to: walletAddress(other), lamports: lamports(second) },
        ]
        const built = buildPayment({
          version: 0,
          from: walletAddress(from),
          transfers,
          reference: ref,
          blockhash,
          lastValidBlockHeight: 7n,
        })
        // Unsigned it cannot be decoded; any signature, even a wrong one, makes it readable.
        expect(decodeSignedTransaction(built)).toBeUndefined()
        const signed = Buffer.from(built, 'base64').fill(1, 1, 65)
        expect(decodeSignedTransaction(signed.toString('base64'))).toMatchObject({
          signaturesValid: false,
          signers: [from],
          blockhash,
          instructions: transfers.map((transfer) => ({
            program: SYSTEM_PROGRAM_ADDRESS,
            accounts: [
              { address: from, signer: true, writable: true },
              { address: transfer.to, signer: false, writable: true },
              { address: ref, signer: false, writable: false },
            ],
            transfer: { from, ...transfer },
          })),
        })
      }),
    )
  })
})

describe('a built payment that only a co-signer can complete', () => {
  test('has it as its second, read-only signer, on every transfer', () => {
    const [from, to, other, ref, coSigner] = Array.from({ length: 5 }, newKey) as [
      HandMadeKey,
      HandMadeKey,
      HandMadeKey,
      HandMadeKey,
      HandMadeKey,
    ]
    const transfers = [to, other].map(({ address: recipient }) => ({ to: walletAddress(recipient), lamports: lamports(5n) }))
    const lifetime = { blockhash: someBlockhash, lastValidBlockHeight: 7n }
    const named = { version: 0 as const, from: walletAddress(from.address), reference: ref.address, coSigner: coSigner.address }
    const bytes = Buffer.from(buildPayment({ ...named, transfers, ...lifetime }), 'base64')
    const signed = withSignature(bytes, from.address, cryptoSign(null, bytes.subarray(129), from.privateKey))
    const decoded = decode(signed)
    expect(decoded).toMatchObject({ signers: [from.address, coSigner.address], signatureStates: ['valid', 'empty'] })
    expect(decoded?.instructions.map(({ accounts }) => accounts.slice(2))).toEqual(
      transfers.map(() => [
        { address: ref.address, signer: false, writable: false },
        { address: coSigner.address, signer: true, writable: false },
      ]),
    )
  })
})

describe('a signature that is added', () => {
  test.each(['legacy', 0, 1] as const)('completes a transaction of version %s, and nothing else of it changes', (version) => {
    const complete = signedMessage({ ...ofTwo, version }, [payer, second])
    const at = version === 1 ? complete.length - 64 : 65
    const waiting = Uint8Array.from(complete).fill(0, at, at + 64)
    const before = Uint8Array.from(waiting)
    const message = decode(waiting)!.message
    expect(withSignature(waiting, second.address, cryptoSign(null, message, second.privateKey))).toEqual(complete)
    expect(waiting).toEqual(before)
  })

  test('replaces none, and is none of somebody who does not sign', () => {
    const complete = signedMessage(ofTwo, [payer, second])
    const waiting = Uint8Array.from(complete).fill(0, 65, 129)
    const signature = complete.slice(65, 129)
    for (const [bytes, signer] of [
      [complete, second.address],
      [complete, payer.address],
      [waiting, receiver],
      [waiting, newKey().address],
    ] as const)
      expect(() => withSignature(bytes, signer, signature)).toThrow(`has no empty place for a signature of ${signer}`)
    expect(() => withSignature(waiting, second.address, signature.slice(1))).toThrow()
  })
})

describe('the hash of a message', () => {
  test.each(['legacy', 0, 1] as const)('of version %s is the SHA-256 of what is signed, whoever has signed', (version) => {
    const message = messageBytes({ ...plain, ...ofTwo, version })
    const hash = createHash('sha256').update(message).digest()
    for (const keys of [
      [payer, second],
      [second, payer],
    ])
      expect(hashMessage(signedBytes(message, keys))).toEqual(hash)
    const other = messageBytes({ ...plain, ...ofTwo, version, blockhash: newKey().address })
    expect(hashMessage(signedBytes(other, [payer, second]))).not.toEqual(hash)
  })
})

describe('a transaction of version 1', () => {
  const PRIORITY_FEE = 0b11
  const COMPUTE_UNITS = 0b100
  const ACCOUNT_DATA = 0b1000
  const HEAP_SIZE = 0b10000
  const kibibytes = (count: number) => littleEndian(count * 1024, 4)

  const configured = (mask: number, ...values: number[][]) => ({ config: { mask, values: Uint8Array.from(values.flat()) } })
  const addresses = (count: number) => Array.from({ length: count }, () => newKey().address)
  const transfers = (count: number) => Array.from({ length: count }, () => transferOf5)
  const decodeV1 = (changes: Partial<HandMadeMessage>, keys?: HandMadeKey[]) => decodeMessage({ version: 1, ...changes }, keys)

  test.each<[string, Partial<HandMadeMessage>]>([
    ['a priority fee', configured(PRIORITY_FEE, littleEndian(5_000, 8))],
    ['compute units and a limit of account data', configured(COMPUTE_UNITS | ACCOUNT_DATA, littleEndian(200_000, 4), kibibytes(64))],
    ['the least heap', configured(HEAP_SIZE, kibibytes(32))],
    ['the largest heap, and all else', configured(0b11111, littleEndian(1, 8), littleEndian(1, 4), littleEndian(1, 4), kibibytes(256))],
    ['64 accounts', { accounts: [payer.address, receiver, ...addresses(61), SYSTEM_PROGRAM_ADDRESS], instructions: [] }],
    ['64 instructions', { instructions: transfers(64) }],
  ])('may have %s', (_, changes) => {
    expect(decodeV1(changes)).toMatchObject({ signaturesValid: true, signers: [payer.address], blockhash: someBlockhash })
  })

  test.each<[string, Partial<HandMadeMessage>]>([
    ['half a priority fee', configured(0b01, littleEndian(5_000, 4))],
    ['a configuration that the network does not know', configured(0b100000, littleEndian(1, 4))],
    ['a configuration without a value', configured(0b10000000000000000000000000000000)],
    ['a heap that is too small', configured(HEAP_SIZE, kibibytes(31))],
    ['a heap that is too large', configured(HEAP_SIZE, kibibytes(257))],
    ['a heap of no whole kibibytes', configured(HEAP_SIZE, littleEndian(32 * 1024 + 1, 4))],
    ['65 accounts', { accounts: [payer.address, receiver, ...addresses(62), SYSTEM_PROGRAM_ADDRESS], instructions: [] }],
    ['65 instructions', { instructions: transfers(65) }],
  ])('with %s is none', (_, changes) => {
    expect(decodeV1(changes)).toBeUndefined()
  })

  test('has at most 12 signers', () => {
    const signers = (count: number) => [payer, ...Array.from({ length: count - 1 }, newKey)]
    const signedBy = (keys: HandMadeKey[]) =>
      decodeV1({ header: [keys.length, 0, 0], accounts: keys.map((key) => key.address), instructions: [] }, keys)
    const twelve = signers(12)
    expect(signedBy(twelve)).toMatchObject({ signaturesValid: true, signers: twelve.map((key) => key.address) })
    expect(signedBy(signers(13))).toBeUndefined()
  })

  test('is named by the first of the signatures that follow its message', () => {
    const keys = [payer, second]
    const bytes = signedMessage({ version: 1, ...ofTwo }, keys)
    expect(decodeV1(ofTwo, keys)?.signature).toBe(base58.encode(bytes.slice(-128, -64)))
    expect(decodeV1(ofTwo, keys.toReversed())?.signaturesValid).toBe(false)
  })
})

describe('small-order keys', () => {
  const { Point } = ed25519
  const p = Point.Fp.ORDER

  function pointAt(y: bigint) {
    try {
      return Point.fromBytes(numberToBytesLE(y, 32))
    } catch {
      return undefined
    }
  }

  /** Every y of a point of order 1, 2, 4 or 8: what is left of a point of full order when the prime part is multiplied away. */
  function smallOrderYs(): Set<bigint> {
    const found = new Set<bigint>()
    for (let y = 2n; found.size < 5; y++) {
      const point = pointAt(y)
      if (!point) continue
      const rest = point.multiplyUnsafe(Point.Fn.ORDER - 1n).add(point)
      expect(rest.multiplyUnsafe(8n).is0()).toBe(true)
      found.add(rest.toAffine().y)
    }
    return found
  }

  test('every encoding of every small-order point is known', () => {
    const encodings = [...smallOrderYs()].flatMap((y) => [y, y + p]).filter((y) => y < 2n ** 255n)
    expect(encodings).toHaveLength(7)
    for (const y of encodings) {
      for (const signBit of [0n, 2n ** 255n]) expect(isSmallOrderKey(base58.encode(numberToBytesLE(y | signBit, 32)))).toBe(true)
    }
  })

  test('keys of wallets are not refused, and what is no key is', () => {
    for (let tries = 0; tries < 50; tries++) expect(isSmallOrderKey(newKey().address)).toBe(false)
    expect(isSmallOrderKey('juice')).toBe(true)
  })
})

import { lamports } from '@juicebar/contract/money'
import { base58 } from '@scure/base'
import { address } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolWithSeedInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { buildPayment, decodeSignedTransaction, isTransaction } from '../../src/chain/transactions/signed-transaction.ts'
import { forgeSignature, satisfiesEquation } from './forged-signature.ts'
import { type HandMadeMessage, messageBytes, newKey, signedBytes, toBase64, transferData } from './hand-made.ts'
import { memoProgram, newWallet, sign, someBlockhash, walletAddress } from './transactions.ts'

const payer = newKey()
const receiver = newKey().address
const reference = newKey().address
const table = newKey().address

/** A transfer of 5 lamports with a reference, every byte placed by hand. */
const plain: HandMadeMessage = {
  version: 0,
  header: [1, 0, 2],
  accounts: [payer.address, receiver, SYSTEM_PROGRAM_ADDRESS, reference],
  blockhash: someBlockhash,
  instructions: [{ program: 2, accounts: [0, 1, 3], data: transferData(5n) }],
}

function decodeMessage(message: HandMadeMessage, keys = [payer]) {
  return decodeSignedTransaction(toBase64(signedBytes(messageBytes(message), keys)))
}

describe('a signed transaction', () => {
  test.each(['legacy', 0, 1] as const)('of version %s is read whole', (version) => {
    const bytes = signedBytes(messageBytes({ ...plain, version }), [payer])
    expect(decodeSignedTransaction(toBase64(bytes))).toEqual({
      bytes,
      signature: base58.encode(version === 1 ? bytes.slice(-64) : bytes.slice(1, 65)),
      signers: [payer.address],
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
    const message = {
      ...plain,
      header: [1, 0, 1] as [number, number, number],
      accounts: [payer.address, SYSTEM_PROGRAM_ADDRESS],
      instructions: [
        { program: 1, accounts: [0, 2, 3], data: transferData(5n) },
        { program: 1, accounts: [0, 0], data: transferData(7n) },
      ],
      lookups: [{ table, writable: [4], readonly: [9] }],
    }
    const decoded = decodeMessage(message)
    expect(decoded).toMatchObject({ signaturesValid: true, usesLookupTables: true })
    expect(decoded?.instructions[0]?.accounts).toEqual([{ address: payer.address, signer: true, writable: true }, undefined, undefined])
    expect(decoded?.instructions.map((instruction) => instruction.transfer)).toEqual([
      undefined,
      { from: payer.address, to: payer.address, lamports: 7n },
    ])
  })

  test('of two signers needs both signatures, in order', () => {
    const second = newKey()
    const message = {
      ...plain,
      header: [2, 1, 2] as [number, number, number],
      accounts: [payer.address, second.address, SYSTEM_PROGRAM_ADDRESS, reference],
    }
    const both = decodeMessage(message, [payer, second])
    expect(both).toMatchObject({ signaturesValid: true, signers: [payer.address, second.address] })
    expect(both?.instructions[0]?.accounts[1]).toEqual({ address: second.address, signer: true, writable: false })
    expect(decodeMessage(message, [second, payer])?.signaturesValid).toBe(false)
    expect(decodeMessage(message, [payer, payer])?.signaturesValid).toBe(false)
    expect(decodeMessage(message, [payer])).toBeUndefined()
  })

  test('that lacks the second signature is read but not valid', () => {
    const second = newKey()
    const message = {
      ...plain,
      header: [2, 1, 2] as [number, number, number],
      accounts: [payer.address, second.address, SYSTEM_PROGRAM_ADDRESS, reference],
    }
    const bytes = signedBytes(messageBytes(message), [payer, second])
    bytes.fill(0, 65, 129)
    expect(decodeSignedTransaction(toBase64(bytes))?.signaturesValid).toBe(false)
  })

  test('whose payer has not signed is none', () => {
    const bytes = signedBytes(messageBytes(plain), [payer])
    bytes.fill(0, 1, 65)
    expect(decodeSignedTransaction(toBase64(bytes))).toBeUndefined()
    expect(isTransaction(toBase64(bytes))).toBe(true)
  })

  test.each(['legacy', 0, 1] as const)('of version %s is invalid or none whichever bit is changed', (version) => {
    const bytes = signedBytes(messageBytes({ ...plain, version }), [payer])
    const bit = fc.record({ byte: fc.nat(bytes.length - 1), bit: fc.nat(7) })
    fc.assert(
      fc.property(bit, ({ byte, bit: which }) => {
        const changed = Uint8Array.from(bytes)
        changed[byte] = (changed[byte] ?? 0) ^ (1 << which)
        return decodeSignedTransaction(toBase64(changed))?.signaturesValid !== true
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
      const decoded = decodeSignedTransaction(toBase64(Uint8Array.from([1, ...forged, ...message])))
      expect(decoded).toMatchObject({ signers: [SYSTEM_PROGRAM_ADDRESS], signaturesValid: false })
    }
  })

  test.each([
    ['followed by a byte', (bytes: Uint8Array) => Uint8Array.from([...bytes, 0])],
    ['cut short', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['with a padded signature count', (bytes: Uint8Array) => Uint8Array.from([0x81, 0, ...bytes.slice(1)])],
    ['empty', () => new Uint8Array()],
  ])('%s is none', (_, change) => {
    const changed = toBase64(change(signedBytes(messageBytes(plain), [payer])))
    expect(decodeSignedTransaction(changed)).toBeUndefined()
    expect(isTransaction(changed)).toBe(false)
  })

  test('in sloppy base64 is none', () => {
    const text = toBase64(signedBytes(messageBytes(plain), [payer]))
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
      const message = messageBytes({
        ...plain,
        version,
        header: [1, 0, 3],
        accounts: [...plain.accounts, memoProgram],
        instructions: [...plain.instructions, { program: 4, accounts: [], data: new Uint8Array(length) }],
      })
      return signedBytes(message, [payer])
    }
    const room = limit - withMemo(128).length + 128
    expect(withMemo(room).length).toBe(limit)
    expect(decodeSignedTransaction(toBase64(withMemo(room)))?.signaturesValid).toBe(true)
    expect(decodeSignedTransaction(toBase64(withMemo(room + 1)))).toBeUndefined()
  })

  test.each<[string, Partial<HandMadeMessage>]>([
    ['no writable payer', { header: [1, 1, 2] }],
    ['more read-only accounts than accounts', { header: [1, 0, 4] }],
    ['one account twice', { accounts: [payer.address, receiver, SYSTEM_PROGRAM_ADDRESS, receiver] }],
    ['a program that is not there', { instructions: [{ program: 4, accounts: [0], data: transferData(5n) }] }],
    ['its payer for a program', { instructions: [{ program: 0, accounts: [0], data: transferData(5n) }] }],
    ['an account that is not there', { instructions: [{ program: 2, accounts: [0, 4], data: transferData(5n) }] }],
    [
      'a program from a lookup table',
      { lookups: [{ table, writable: [1], readonly: [] }], instructions: [{ program: 4, accounts: [0], data: transferData(5n) }] },
    ],
    ['an empty lookup', { lookups: [{ table, writable: [], readonly: [] }] }],
  ])('with %s is none', (_, change) => {
    expect(decodeMessage({ ...plain, ...change })).toBeUndefined()
  })

  test('of a version that the network does not know is none', () => {
    const bytes = signedBytes(messageBytes({ ...plain, version: 1 }), [payer])
    for (const first of [0x80, 0x82, 0xff])
      expect(decodeSignedTransaction(toBase64(Uint8Array.from([first, ...bytes.slice(1)])))).toBeUndefined()
  })

  test('of version 1 with its signature first is none', () => {
    const message = messageBytes({ ...plain, version: 1 })
    const signature = signedBytes(message, [payer]).slice(-64)
    expect(decodeSignedTransaction(toBase64(Uint8Array.from([1, ...signature, ...message])))).toBeUndefined()
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
    const creation = getCreateAccountInstruction({
      payer: signer,
      newAccount: other.signer,
      lamports: 9n,
      space: 0n,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    })
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
    const decoded = decodeMessage({ ...plain, instructions: [{ program: 2, accounts: [0, 1], data }] })
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

import { createRequire } from 'node:module'

import { getTransactionDecoder, verifySignature } from '@solana/kit'
import { type getWallets } from '@wallet-standard/app'
import { type WalletAccount } from '@wallet-standard/base'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { buildPayment } from '../../src/payment/build-payment.ts'
import { type AskOwner, type Request } from '../../src/wallet/demo/approval.ts'
import { createDemoWallet } from '../../src/wallet/demo/demo-wallet.tsx'
import { registerDemoWallet } from '../../src/wallet/demo/demo-wallet.tsx'

const seed = new Uint8Array(32).fill(7)
const other = '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW'
const bytes = (text: string) => new TextEncoder().encode(text)
const asked: Request[] = []
const approve: AskOwner = async (request) => void asked.push(request)

beforeEach(() => void asked.splice(0))

async function connected(askOwner: AskOwner = approve) {
  const wallet = await createDemoWallet(seed, askOwner)
  const { accounts } = await wallet.features['standard:connect'].connect()
  return { wallet, features: wallet.features, account: accounts[0] as WalletAccount }
}

describe('registering the Demo Wallet', () => {
  const load = createRequire(import.meta.url)

  /** The Wallet Standard's side of one more app on the same page. */
  function startApp(): ReturnType<typeof getWallets> {
    for (const file of Object.keys(load.cache)) if (file.includes('wallet-standard')) delete load.cache[file]
    return (load('@wallet-standard/app') as { getWallets: typeof getWallets }).getWallets()
  }

  beforeAll(() => {
    vi.stubGlobal('window', new EventTarget())
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined })
    return () => vi.unstubAllGlobals()
  })

  test('shows it to every app on the page, whenever it begins, and once', async () => {
    const early = startApp()
    await Promise.all([registerDemoWallet(), registerDemoWallet()])
    const late = startApp()
    expect(early.get().map(({ name }) => name)).toEqual(['Demo Wallet'])
    expect(late.get()).toEqual(early.get())
    expect(late).not.toBe(early)
  })
})

describe('connecting the Demo Wallet', () => {
  test('shares one account of the local chain', async () => {
    const { wallet, account } = await connected()
    expect(wallet.accounts).toEqual([account])
    expect(account).toMatchObject({ chains: ['solana:localnet'], features: ['solana:signMessage', 'solana:signTransaction'] })
  })

  test('silently shares only what is shared already', async () => {
    const wallet = await createDemoWallet(seed, approve)
    const { 'standard:connect': connecting, 'standard:disconnect': disconnecting } = wallet.features
    await expect(connecting.connect({ silent: true })).resolves.toEqual({ accounts: [] })
    await connecting.connect()
    await expect(connecting.connect({ silent: true })).resolves.toEqual({ accounts: wallet.accounts })
    await disconnecting.disconnect()
    await expect(connecting.connect({ silent: true })).resolves.toEqual({ accounts: [] })
    expect(wallet.accounts).toEqual([])
  })

  test('tells each change of the accounts once, also when a listener fails', async () => {
    const wallet = await createDemoWallet(seed, approve)
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const { 'standard:connect': connecting, 'standard:disconnect': disconnecting, 'standard:events': events } = wallet.features
    const heard: number[] = []
    events.on('change', () => {
      throw new Error('a listener of another app')
    })
    const stop = events.on('change', ({ accounts }) => heard.push(accounts?.length ?? -1))
    events.on('unknown' as 'change', () => heard.push(NaN))
    await connecting.connect()
    await connecting.connect()
    await disconnecting.disconnect()
    await disconnecting.disconnect()
    expect(heard).toEqual([1, 0])
    stop()
    await connecting.connect()
    expect(heard).toEqual([1, 0])
    expect(log).toHaveBeenCalledTimes(3)
    log.mockRestore()
  })

  test('nothing that an app gets can be changed', async () => {
    const { wallet, account } = await connected()
    for (const value of [wallet, wallet.chains, wallet.accounts, wallet.features, ...Object.values(wallet.features), account]) {
      expect(Object.isFrozen(value)).toBe(true)
    }
    expect(Object.isFrozen(wallet.features['solana:signTransaction'].supportedTransactionVersions)).toBe(true)
    ;(account.publicKey as Uint8Array).fill(0)
    expect(account.publicKey.some((byte) => byte !== 0)).toBe(true)
  })
})

describe('signing messages with the Demo Wallet', () => {
  test('answers every input', async () => {
    const { features, account } = await connected()
    const inputs = ['one', 'two', 'three'].map((text) => ({ account, message: bytes(text) }))
    const outputs = await features['solana:signMessage'].signMessage(...inputs)
    expect(asked.map(({ message }) => message)).toEqual(['one', 'two', 'three'])
    expect(outputs.map(({ signedMessage }) => signedMessage)).toEqual(inputs.map(({ message }) => message))
    const key = await crypto.subtle.importKey('raw', new Uint8Array(account.publicKey), 'Ed25519', true, ['verify'])
    for (const { signature, signedMessage } of outputs) {
      expect(await verifySignature(key, signature as Parameters<typeof verifySignature>[1], signedMessage)).toBe(true)
    }
    await expect(features['solana:signMessage'].signMessage()).resolves.toEqual([])
  })

  test('fails as a whole if its owner rejects one', async () => {
    const { features, account } = await connected(async ({ message }) => {
      if (message === 'two') throw new Error('rejected')
    })
    const inputs = ['one', 'two'].map((text) => ({ account, message: bytes(text) }))
    await expect(features['solana:signMessage'].signMessage(...inputs)).rejects.toThrow('rejected')
  })

  test('asks its owner for nothing if one account is not connected', async () => {
    const { features, account } = await connected()
    const stranger = { ...account, address: other, publicKey: account.publicKey, chains: account.chains, features: account.features }
    const message = bytes('hello')
    const signing = features['solana:signMessage'].signMessage({ account, message }, { account: stranger, message })
    await expect(signing).rejects.toMatchObject({ code: 4100 })
    await features['standard:disconnect'].disconnect()
    await expect(features['solana:signMessage'].signMessage({ account, message })).rejects.toMatchObject({ code: 4100 })
    expect(asked).toEqual([])
  })
})

describe('signing transactions with the Demo Wallet', () => {
  const payment = (from: string, lamports: bigint, transfers = [{ to: other, lamports }], coSigner?: string) =>
    buildPayment({
      from,
      transfers,
      ...(coSigner && { coSigner }),
      reference: 'EktUtax5cud3mrcEZrofj6yQxVvNeMNdaGeRPwiKnaCC',
      version: 0,
      lifetime: { blockhash: other, lastValidBlockHeight: 150n },
    })

  test('answers every input, on the chain that was asked for', async () => {
    const { features, account } = await connected()
    const inputs = [1_000_000_000n, 2_000_000_000n].map((lamports) => ({ account, transaction: payment(account.address, lamports) }))
    const [first, second] = inputs as [(typeof inputs)[0], (typeof inputs)[0]]
    const outputs = await features['solana:signTransaction'].signTransaction(first, { ...second, chain: 'solana:localnet' })
    expect(asked.map(({ lines }) => lines[0])).toEqual([
      ['Pay', '1 SOL'],
      ['Pay', '2 SOL'],
    ])
    const decoded = outputs.map(({ signedTransaction }) => getTransactionDecoder().decode(signedTransaction))
    expect(decoded.map(({ messageBytes }) => messageBytes)).toEqual(
      inputs.map(({ transaction }) => getTransactionDecoder().decode(transaction).messageBytes),
    )
    for (const { signatures } of decoded) expect(Object.values(signatures)).toEqual([expect.any(Uint8Array)])
  })

  test('signs beside somebody who has not signed yet, and leaves that place empty', async () => {
    const { features, account } = await connected()
    const coSigner = 'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8'
    const transaction = payment(account.address, 250_000_000n, undefined, coSigner)
    const [output] = await features['solana:signTransaction'].signTransaction({ account, transaction })
    expect(asked[0]?.lines).toEqual([
      ['Pay', '0.25 SOL'],
      ['To', other],
    ])
    const { signatures, messageBytes } = getTransactionDecoder().decode(output!.signedTransaction)
    expect(Object.entries(signatures)).toEqual([
      [account.address, expect.any(Uint8Array)],
      [coSigner, null],
    ])
    expect(messageBytes).toEqual(getTransactionDecoder().decode(transaction).messageBytes)
  })

  test('shows the total of several transfers, and each with its payee', async () => {
    const { features, account } = await connected()
    const transfers = [
      { to: other, lamports: 420_000_000n },
      { to: '11111111111111111111111111111112', lamports: 72_000_000n },
    ]
    const transaction = payment(account.address, 0n, transfers)
    await features['solana:signTransaction'].signTransaction({ account, transaction })
    expect(asked[0]?.lines).toEqual([
      ['Pay in all', '0.492 SOL in 2 transfers'],
      ['0.42 SOL to', other],
      ['0.072 SOL to', '11111111111111111111111111111112'],
    ])
  })

  test('refuses another chain, and asks its owner for nothing', async () => {
    const { features, account } = await connected()
    const transaction = payment(account.address, 1n)
    for (const chain of ['solana:mainnet', 'solana:devnet', 'bitcoin:mainnet'] as const) {
      const signing = features['solana:signTransaction'].signTransaction({ account, transaction }, { account, transaction, chain })
      await expect(signing).rejects.toMatchObject({ code: -32602 })
    }
    expect(asked).toEqual([])
  })

  test('refuses a transaction that is not for its account to sign', async () => {
    const { features, account } = await connected()
    const signing = features['solana:signTransaction'].signTransaction({ account, transaction: payment(other, 1n) })
    await expect(signing).rejects.toMatchObject({ code: -32602 })
    expect(asked).toEqual([])
  })

  test('refuses an account that is not connected', async () => {
    const { features, account } = await connected()
    await features['standard:disconnect'].disconnect()
    const signing = features['solana:signTransaction'].signTransaction({ account, transaction: payment(account.address, 1n) })
    await expect(signing).rejects.toMatchObject({ code: 4100 })
  })
})

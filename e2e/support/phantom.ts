import { createSignableMessage, generateKeyPairSigner, getTransactionDecoder, getTransactionEncoder, type KeyPairSigner } from '@solana/kit'
import { type BrowserContext, type Page } from '@playwright/test'
import { base58 } from '@scure/base'

/** How the injected wallet behaves. */
export interface PhantomOptions {
  /** It signs and sends by itself, and never returns signed bytes. */
  sendsByItself?: boolean
  /** It fails to sign what somebody else has to sign, too. */
  signsOnlyAlone?: boolean
  /** How long after the page has loaded it registers, in milliseconds. */
  lateBy?: number
  /** How long it takes to connect, in milliseconds. */
  connectsAfter?: number
  /** How long its person takes to approve the first payment, in milliseconds. All later ones are approved at once. */
  approvesAfter?: number
}

/** A wallet outside of any page. */
export interface Wallet {
  address: string
  signMessage(message: string): Promise<Uint8Array>
  sign(transaction: Uint8Array): Promise<Uint8Array>
}

/** A wallet named Phantom in a browser. Its keys are real, and stay outside the page. */
export interface Phantom extends Wallet {
  /** Makes every request fail with this code; undefined makes them succeed again. */
  refuse(page: Page, code: number | undefined): Promise<void>
  /** Switches to another account, as the person does inside the wallet. Returns its address. */
  switchAccount(page: Page): Promise<string>
}

type Bytes = number[]

/** Makes a wallet that owns nothing. */
export async function createWallet(): Promise<Wallet> {
  return walletOf(await generateKeyPairSigner())
}

function walletOf(signer: KeyPairSigner): Wallet {
  return {
    address: signer.address,
    async signMessage(message) {
      const [signatures] = await signer.signMessages([createSignableMessage(message)])
      return Uint8Array.from(signatures?.[signer.address] ?? [])
    },
    async sign(transaction) {
      const decoded = getTransactionDecoder().decode(transaction)
      const [signatures] = await signer.signTransactions([decoded as Parameters<KeyPairSigner['signTransactions']>[0][number]])
      return Uint8Array.from(getTransactionEncoder().encode({ ...decoded, signatures: { ...decoded.signatures, ...signatures } }))
    },
  }
}

/**
 * Injects a Wallet Standard wallet named Phantom into every page of a context. It has two accounts, of which the first is chosen. It sends its
 * transactions through the relay of `origin`.
 */
export async function installPhantom(context: BrowserContext, origin: string, options: PhantomOptions = {}): Promise<Phantom> {
  const wallets = [await createWallet(), await createWallet()] as const
  const walletAt = (address: string): Wallet => {
    const wallet = wallets.find((candidate) => candidate.address === address)
    if (!wallet) throw new Error(`no key for ${address}`)
    return wallet
  }
  await context.exposeFunction('phantomSignMessage', async (address: string, message: Bytes) => [
    ...(await walletAt(address).signMessage(Buffer.from(message).toString())),
  ])
  await context.exposeFunction('phantomSignTransaction', async (address: string, transaction: Bytes) => [
    ...(await walletAt(address).sign(Uint8Array.from(transaction))),
  ])
  await context.exposeFunction('phantomBroadcast', async (transaction: Bytes): Promise<void> => {
    const params = [Buffer.from(transaction).toString('base64'), { encoding: 'base64', preflightCommitment: 'confirmed' }]
    await askChain(origin, 'sendTransaction', params)
  })
  const accounts = wallets.map(({ address }) => ({ address, publicKey: [...base58.decode(address)] }))
  await context.addInitScript(registerPhantom, {
    accounts,
    sendsByItself: false,
    signsOnlyAlone: false,
    lateBy: 0,
    connectsAfter: 0,
    approvesAfter: 0,
    ...options,
  })
  const [first, second] = wallets
  return {
    ...first,
    refuse: (page, code) => page.evaluate((refusal) => Object.assign(window, { phantomRefusal: refusal }), code).then(() => undefined),
    switchAccount: async (page) => {
      await page.evaluate(() => window.dispatchEvent(new Event('phantom:switch')))
      return second.address
    },
  }
}

/** Sends one JSON-RPC request through the product's relay. Throws if the chain refuses. */
export function askChain(origin: string, method: string, params: unknown[]): Promise<unknown> {
  return askEndpoint(`${origin}/rpc`, method, params)
}

/** Sends one JSON-RPC request. Throws if the chain refuses. */
export async function askEndpoint(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const reply = (await response.json()) as { result?: unknown; error?: unknown }
  if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`)
  return reply.result
}

/** Runs inside the page, so it may use only its argument. */
function registerPhantom({
  accounts,
  sendsByItself,
  signsOnlyAlone,
  lateBy,
  connectsAfter,
  approvesAfter,
}: {
  accounts: { address: string; publicKey: Bytes }[]
  sendsByItself: boolean
  signsOnlyAlone: boolean
  lateBy: number
  connectsAfter: number
  approvesAfter: number
}) {
  interface PhantomWindow extends Window {
    phantomRefusal?: number
    phantomSignMessage(address: string, message: Bytes): Promise<Bytes>
    phantomSignTransaction(address: string, transaction: Bytes): Promise<Bytes>
    phantomBroadcast(transaction: Bytes): Promise<void>
  }
  const page = window as unknown as PhantomWindow
  const chains = ['solana:mainnet', 'solana:devnet', 'solana:testnet', 'solana:localnet']
  const pays = sendsByItself ? 'solana:signAndSendTransaction' : 'solana:signTransaction'
  const known = accounts.map((account) => ({
    address: account.address,
    publicKey: new Uint8Array(account.publicKey),
    chains,
    features: ['solana:signMessage', pays],
  }))
  const listeners = new Set<(change: object) => void>()
  let selected = known.slice(0, 1)
  let current: typeof known = []
  const show = (next: typeof current) => {
    current = next
    for (const listener of listeners) listener({ accounts: current })
  }
  const mayRefuse = () => {
    if (page.phantomRefusal !== undefined) throw Object.assign(new Error('Refused by the test wallet'), { code: page.phantomRefusal })
  }
  let approval = () => new Promise((resolve) => setTimeout(resolve, approvesAfter))
  const sign = async (input: { account: { address: string }; transaction: Uint8Array }) => {
    mayRefuse()
    await approval()
    approval = () => Promise.resolve(undefined)
    // A transaction begins with the number of its signers.
    if (signsOnlyAlone && input.transaction[0] !== 1) throw new Error('This test wallet signs alone')
    return page.phantomSignTransaction(input.account.address, [...input.transaction])
  }
  const signTransaction = async (input: Parameters<typeof sign>[0]) => [{ signedTransaction: new Uint8Array(await sign(input)) }]
  const signAndSendTransaction = async (input: Parameters<typeof sign>[0]) => {
    const signed = await sign(input)
    await page.phantomBroadcast(signed)
    return [{ signature: new Uint8Array(signed.slice(1, 65)) }]
  }
  const wallet = {
    version: '1.0.0',
    name: 'Phantom',
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAxIDEiPjxyZWN0IHdpZHRoPSIxIiBoZWlnaHQ9IjEiIGZpbGw9IiNhYjlmZjIiLz48L3N2Zz4=',
    chains,
    get accounts() {
      return current
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async () => {
          mayRefuse()
          if (connectsAfter) await new Promise((resolve) => setTimeout(resolve, connectsAfter))
          show(selected)
          return { accounts: current }
        },
      },
      'standard:disconnect': { version: '1.0.0', disconnect: async () => show([]) },
      'standard:events': {
        version: '1.0.0',
        on: (_: string, listener: (change: object) => void) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ account, message }: { account: { address: string }; message: Uint8Array }) => {
          mayRefuse()
          return [{ signedMessage: message, signature: new Uint8Array(await page.phantomSignMessage(account.address, [...message])) }]
        },
      },
      [pays]: {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        [sendsByItself ? 'signAndSendTransaction' : 'signTransaction']: sendsByItself ? signAndSendTransaction : signTransaction,
      },
    },
  }
  const register = (api: { register(wallet: object): void }) => api.register(wallet)
  const announce = () => {
    window.addEventListener('wallet-standard:app-ready', (event) =>
      register((event as CustomEvent<{ register(wallet: object): void }>).detail),
    )
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
  }
  window.addEventListener('phantom:switch', () => {
    selected = known.slice(1)
    // A page that is not connected yet is told nothing, and gets the selected account when it connects.
    if (current.length) show(selected)
  })
  if (lateBy) setTimeout(announce, lateBy)
  else announce()
}

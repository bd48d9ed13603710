import { guard, ReadonlyWalletAccount, registerWallet } from '@wallet-standard/wallet'
import { useEffect } from 'react'
import { solText } from '@juicebar/contract/money'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import {
  type CompiledTransactionMessage,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  getU64Decoder,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit'
import {
  type SolanaSignMessageFeature,
  type SolanaSignMessageInput,
  type SolanaSignTransactionFeature,
  type SolanaSignTransactionInput,
} from '@solana/wallet-standard-features'
import { type Wallet, type WalletAccount } from '@wallet-standard/base'
import {
  type StandardConnectFeature,
  type StandardDisconnectFeature,
  type StandardEventsFeature,
  type StandardEventsListeners,
  type StandardEventsOnMethod,
} from '@wallet-standard/features'

import { PartOnTop } from '../../feedback/crash-screen.tsx'
import { showBanner } from '../../feedback/notices.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { useRetained } from '../../ui/use-retained.ts'
import { DEMO_WALLET } from '../wallet.ts'
import { askOwner, type AskOwner, Refusal, useApproval } from './approval.ts'

const ApprovalDialog = lazyComponent(async () => (await import('./approval-dialog.tsx')).ApprovalDialog)

/** The Demo Wallet: registers it among the wallets of this browser, and shows its window when it asks for an approval. */
export function DemoWallet() {
  const { request } = useApproval()
  const shown = useRetained(request)
  useEffect(() => {
    registerDemoWallet().catch(() => showBanner('The Demo Wallet does not work in this browser: it cannot make ed25519 keys.'))
  }, [])
  if (!shown) return null
  return (
    <PartOnTop wanted={request} onMissing={() => request?.answer(false)}>
      <ApprovalDialog open={request !== undefined} request={shown} />
    </PartOnTop>
  )
}

const SEED_KEY = 'demoWalletSeed'
const SEED_BYTES = 32

let registration: Promise<void> | undefined

/**
 * Registers the Demo Wallet with every app on this page, including those that start later: a wallet for the local chain, with its key in
 * local storage. It holds test SOL only. It registers once, since the Wallet Standard has no way for a wallet to leave.
 *
 * @throws if the browser cannot make ed25519 keys
 */
export function registerDemoWallet(): Promise<void> {
  registration ??= createDemoWallet(readSeed(), askOwner).then(registerWallet)
  return registration
}

function readSeed(): Uint8Array {
  const kept = localStorage.getItem(SEED_KEY)
  if (kept) return Uint8Array.from(atob(kept), (character) => character.charCodeAt(0))
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES))
  localStorage.setItem(SEED_KEY, btoa(String.fromCharCode(...seed)))
  return seed
}

type DemoWalletFeatures = StandardConnectFeature &
  StandardDisconnectFeature &
  StandardEventsFeature &
  SolanaSignMessageFeature &
  SolanaSignTransactionFeature

const CHAINS = Object.freeze(['solana:localnet'] as const)
const TRANSACTION_VERSIONS = Object.freeze(['legacy', 0] as const)

const icon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#2b2440"/><path d="M9 8h14l-2 17H11z" fill="#ff9f43"/><path d="M8.600 8h14.800l-.6 5H9.200z" fill="#fff3dd"/><path d="M18 8l4-5" stroke="#fff3dd" stroke-width="2" stroke-linecap="round"/></svg>',
)}` as const

/**
 * A wallet of the Wallet Standard with one account on the local chain. Each message and each transaction is shown to its owner.
 *
 * @param seed the 32 bytes of its private key
 * @throws if the browser cannot make ed25519 keys
 */
export async function createDemoWallet(seed: Uint8Array, askOwner: AskOwner): Promise<Wallet & { features: DemoWalletFeatures }> {
  const keys = await createKeyPairFromPrivateKeyBytes(seed)
  // A cast, since the class declares its optional properties as possibly undefined.
  const account = new ReadonlyWalletAccount({
    address: await getAddressFromPublicKey(keys.publicKey),
    publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey)),
    chains: CHAINS,
    features: ['solana:signMessage', 'solana:signTransaction'],
  }) as WalletAccount
  const connected = createAccountEvents()

  const requireConnected = ({ address }: WalletAccount) => {
    if (!connected.accounts().some((known) => known.address === address))
      throw new Refusal('unauthorized', 'This account is not connected.')
  }
  const signMessage = async (message: Uint8Array) => {
    await askOwner({ title: 'Sign this message', lines: [], message: new TextDecoder().decode(message) })
    return Object.freeze({ signedMessage: message.slice(), signature: await signBytes(keys.privateKey, message) })
  }
  const signTransaction = async ({ transaction, message }: ReturnType<typeof readTransaction>) => {
    await askOwner({ title: 'Send this payment', lines: describeTransaction(message), message: undefined })
    const signed = await partiallySignTransaction([keys], transaction)
    return Object.freeze({ signedTransaction: new Uint8Array(getTransactionEncoder().encode(signed)) })
  }

  const features: DemoWalletFeatures = {
    'standard:connect': Object.freeze({
      version: '1.0.0',
      connect: async ({ silent = false } = {}) => {
        if (!silent) connected.change([account])
        return Object.freeze({ accounts: connected.accounts() })
      },
    }),
    'standard:disconnect': Object.freeze({ version: '1.0.0', disconnect: async () => connected.change([]) }),
    'standard:events': Object.freeze({ version: '1.0.0', on: connected.on }),
    'solana:signMessage': Object.freeze({
      version: '1.0.0',
      signMessage: async (...inputs: readonly SolanaSignMessageInput[]) => {
        inputs.forEach((input) => requireConnected(input.account))
        return await oneByOne(inputs, ({ message }) => signMessage(message))
      },
    }),
    'solana:signTransaction': Object.freeze({
      version: '1.0.0',
      supportedTransactionVersions: TRANSACTION_VERSIONS,
      signTransaction: async (...inputs: readonly SolanaSignTransactionInput[]) => {
        inputs.forEach((input) => requireConnected(input.account))
        return await oneByOne(inputs.map(readTransaction), signTransaction)
      },
    }),
  }
  return Object.freeze({
    version: '1.0.0',
    name: DEMO_WALLET,
    icon,
    chains: CHAINS,
    features: Object.freeze(features),
    get accounts() {
      return connected.accounts()
    },
  })
}

/** Answers every input in order. Nothing is answered if the owner rejects one. */
async function oneByOne<Input, Output>(inputs: readonly Input[], answer: (input: Input) => Promise<Output>): Promise<readonly Output[]> {
  const outputs: Output[] = []
  for (const input of inputs) outputs.push(await answer(input))
  return Object.freeze(outputs)
}

/** @throws Refusal if the transaction is not one that this account may sign on this chain */
function readTransaction({ account, chain, transaction: bytes }: SolanaSignTransactionInput) {
  if (chain !== undefined && !CHAINS.some((known) => known === chain)) throw new Refusal('invalid', `This wallet is not on ${chain}.`)
  const transaction = getTransactionDecoder().decode(bytes)
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  if (!TRANSACTION_VERSIONS.some((known) => known === message.version)) {
    throw new Refusal('invalid', `This wallet does not sign transactions of version ${message.version}.`)
  }
  if (!(account.address in transaction.signatures))
    throw new Refusal('invalid', 'This transaction does not ask for this account’s signature.')
  return { transaction, message }
}

/** The System program's instruction number for a transfer; the amount follows as 8 bytes. */
const TRANSFER_INSTRUCTION = 2
const TRANSFER_AMOUNT_OFFSET = 4

type Line = [label: string, value: string]

interface Transfer {
  lamports: bigint
  payee: string
}

/**
 * A description of a transaction for its signer: transfers by amount and payee, anything else by program. If there are several transfers,
 * the total comes first.
 */
function describeTransaction(message: CompiledTransactionMessage): Line[] {
  if (!('instructions' in message)) return [['Unreadable', `version ${message.version}`]]
  const addresses = message.staticAccounts
  const transfers: Transfer[] = []
  const others: Line[] = []
  for (const { programAddressIndex, accountIndices, data } of message.instructions) {
    const program = addresses[programAddressIndex] ?? 'unknown program'
    if (program === SYSTEM_PROGRAM_ADDRESS && data?.[0] === TRANSFER_INSTRUCTION) {
      const payee = addresses[accountIndices?.[1] ?? -1] ?? 'unknown account'
      transfers.push({ lamports: getU64Decoder().decode(data, TRANSFER_AMOUNT_OFFSET), payee })
    } else others.push(['Calls', program])
  }
  return [...describeTransfers(transfers), ...others]
}

function describeTransfers(transfers: readonly Transfer[]): Line[] {
  if (transfers.length < 2) {
    return transfers.flatMap(({ lamports, payee }): Line[] => [
      ['Pay', `${solText(lamports)} SOL`],
      ['To', payee],
    ])
  }
  const total = transfers.reduce((sum, { lamports }) => sum + lamports, 0n)
  return [
    ['Pay in all', `${solText(total)} SOL in ${transfers.length} transfers`],
    ...transfers.map(({ lamports, payee }): Line => [`${solText(lamports)} SOL to`, payee]),
  ]
}

interface AccountEvents {
  accounts: () => readonly WalletAccount[]
  change: (next: readonly WalletAccount[]) => void
  on: StandardEventsOnMethod
}

/** The accounts that a wallet shares with this page, and the listeners for their changes. */
function createAccountEvents(): AccountEvents {
  const listeners = new Set<{ listener: StandardEventsListeners['change'] }>()
  let accounts: readonly WalletAccount[] = Object.freeze([])
  return {
    accounts: () => accounts,
    change(next) {
      if (next.length === accounts.length && next.every((account, index) => account === accounts[index])) return
      accounts = Object.freeze([...next])
      // An error in one listener must not stop the others.
      for (const { listener } of listeners) guard(() => listener(Object.freeze({ accounts })))
    },
    on(event, listener) {
      // Wallets may support further events; this one does not.
      if (event !== 'change') return () => {}
      const entry = { listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  }
}

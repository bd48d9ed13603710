import { solText } from '@juicebar/contract/money'
import {
  type Address,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  getU64Decoder,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { getWallets } from '@wallet-standard/app'
import { type Wallet, type WalletAccount } from '@wallet-standard/base'
import { type SolanaSignMessageInput, type SolanaSignTransactionInput } from '@solana/wallet-standard-features'

import { type AskOwner } from './approval.ts'
import { DEMO_WALLET } from '../wallet.ts'

const SEED_KEY = 'demoWalletSeed'
const SEED_BYTES = 32
const CHAIN = 'solana:localnet'
/** The System program's instruction number for a transfer; the amount follows as 8 bytes. */
const TRANSFER_INSTRUCTION = 2
const TRANSFER_AMOUNT_OFFSET = 4

const icon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#2b2440"/><path d="M9 8h14l-2 17H11z" fill="#ff9f43"/><path d="M8.600 8h14.800l-.6 5H9.200z" fill="#fff3dd"/><path d="M18 8l4-5" stroke="#fff3dd" stroke-width="2" stroke-linecap="round"/></svg>',
)}` as const

type ChangeListener = (properties: { accounts: readonly WalletAccount[] }) => void

/**
 * Registers the Demo Wallet: a wallet inside this page for the local chain, with its key in local storage. It holds test SOL only.
 *
 * @returns a function that unregisters it
 * @throws if the browser cannot make ed25519 keys
 */
export async function registerDemoWallet(askOwner: AskOwner): Promise<() => void> {
  const keys = await createKeyPairFromPrivateKeyBytes(readSeed())
  const account = demoAccount(
    await getAddressFromPublicKey(keys.publicKey),
    new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey)),
  )
  const listeners = new Set<ChangeListener>()
  let accounts: readonly WalletAccount[] = []
  const showAccounts = (next: readonly WalletAccount[]) => {
    accounts = next
    for (const listener of listeners) listener({ accounts })
  }

  const wallet: Wallet = {
    version: '1.0.0',
    name: DEMO_WALLET,
    icon,
    chains: [CHAIN],
    get accounts() {
      return accounts
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async () => {
          if (!accounts.length) showAccounts([account])
          return { accounts }
        },
      },
      'standard:disconnect': { version: '1.0.0', disconnect: async () => showAccounts([]) },
      'standard:events': {
        version: '1.0.0',
        on: (_: 'change', listener: ChangeListener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ message }: SolanaSignMessageInput) => {
          await askOwner({ title: 'Sign this message', lines: [], message: new TextDecoder().decode(message) })
          return [{ signedMessage: message, signature: await signBytes(keys.privateKey, message) }]
        },
      },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: async ({ transaction }: SolanaSignTransactionInput) => {
          const decoded = getTransactionDecoder().decode(transaction)
          await askOwner({ title: 'Send this payment', lines: describe(decoded.messageBytes), message: undefined })
          const signed = await partiallySignTransaction([keys], decoded)
          return [{ signedTransaction: new Uint8Array(getTransactionEncoder().encode(signed)) }]
        },
      },
    },
  }
  return getWallets().register(wallet)
}

function readSeed(): Uint8Array {
  const kept = localStorage.getItem(SEED_KEY)
  if (kept) return Uint8Array.from(atob(kept), (character) => character.charCodeAt(0))
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES))
  localStorage.setItem(SEED_KEY, btoa(String.fromCharCode(...seed)))
  return seed
}

function demoAccount(address: Address, publicKey: Uint8Array): WalletAccount {
  return { address, publicKey, chains: [CHAIN], features: ['solana:signMessage', 'solana:signTransaction'] }
}

/** What a transaction does, for its signer to read: transfers by amount and payee, anything else by program. */
function describe(messageBytes: Parameters<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>[0]): [string, string][] {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  const addresses = message.staticAccounts
  if (!('instructions' in message)) return [['Unreadable', getBase58Decoder().decode(messageBytes)]]
  return message.instructions.flatMap((instruction): [string, string][] => {
    const program = addresses[instruction.programAddressIndex] ?? 'unknown program'
    const { data } = instruction
    if (program !== SYSTEM_PROGRAM_ADDRESS || data?.[0] !== TRANSFER_INSTRUCTION) return [['Calls', program]]
    const payee = addresses[instruction.accountIndices?.[1] ?? -1] ?? 'unknown account'
    return [
      ['Pay', `${solText(getU64Decoder().decode(data, TRANSFER_AMOUNT_OFFSET))} SOL`],
      ['To', payee],
    ]
  })
}

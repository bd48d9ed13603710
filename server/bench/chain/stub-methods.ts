import { base64 } from '@scure/base'

import { type Commitment, GENESIS_HASH, readTransaction, type StubLedger } from './stub-ledger.ts'

/** Enough for any purchase of the bench. */
const LAMPORTS = 1_000_000_000_000
const RENT_EXEMPT_MINIMUM = 890_880
const MAX_ENTRIES = 1000
const SYSTEM_PROGRAM = '11111111111111111111111111111111'

type Config = Record<string, unknown>

/** What one call asks for: its first parameter, and the object with its options. */
interface Asked {
  first: unknown
  config: Config
  commitment: Commitment
}

type Method = (ledger: StubLedger, asked: Asked) => unknown

const methods: Record<string, Method> = {
  getGenesisHash: () => GENESIS_HASH,
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getFirstAvailableBlock: () => 0,
  getMinimumBalanceForRentExemption: () => RENT_EXEMPT_MINIMUM,
  getSlot: (ledger, { commitment }) => ledger.slot(commitment),
  getBlockHeight: (ledger, { commitment }) => ledger.height(commitment),
  getEpochInfo: (ledger, { commitment }) => ({
    absoluteSlot: ledger.slot(commitment),
    blockHeight: ledger.height(commitment),
    epoch: 0,
    slotIndex: ledger.slot(commitment),
    slotsInEpoch: 432_000,
    transactionCount: null,
  }),
  getLatestBlockhash: (ledger, { commitment }) => withContext(ledger, commitment, ledger.latestBlockhash(commitment)),
  isBlockhashValid: (ledger, { first, commitment }) => withContext(ledger, commitment, ledger.isValid(String(first))),
  getBalance: (ledger, { commitment }) => withContext(ledger, commitment, LAMPORTS),
  getAccountInfo: (ledger, { commitment }) => withContext(ledger, commitment, account),
  getMultipleAccounts: (ledger, { first, commitment }) =>
    withContext(
      ledger,
      commitment,
      textsOf(first).map(() => account),
    ),
  getFeeForMessage: (ledger, { commitment }) => withContext(ledger, commitment, 5000),
  simulateTransaction: simulate,
  sendTransaction: (ledger, { first }) => ledger.send(base64.decode(String(first))),
  getSignatureStatuses: (ledger, { first, commitment }) =>
    withContext(
      ledger,
      commitment,
      textsOf(first).map((signature) => status(ledger, signature)),
    ),
  getTransaction: landed,
  getSignaturesForAddress: entries,
}

/** The answer to a JSON-RPC call: its result, or an error. */
export function answerCall(ledger: StubLedger, method: string, params: readonly unknown[]): { result: unknown } | { error: unknown } {
  const answer = methods[method]
  if (!answer) return { error: { code: -32601, message: `the stub does not offer ${method}` } }
  const config = params.find(isConfig) ?? {}
  return { result: answer(ledger, { first: params[0], config, commitment: commitmentIn(config) }) }
}

const account = { lamports: LAMPORTS, owner: SYSTEM_PROGRAM, data: ['', 'base64'], executable: false, rentEpoch: 0, space: 0 }

function simulate(ledger: StubLedger, { first, config, commitment }: Asked) {
  const { signature, blockhash } = readTransaction(base64.decode(String(first)))
  const done = ledger.find(signature) && 'AlreadyProcessed'
  const err = done ?? (ledger.isValid(blockhash) ? null : 'BlockhashNotFound')
  const asked = isConfig(config['accounts']) ? textsOf(config['accounts']['addresses']) : undefined
  const value = {
    err,
    logs: [],
    accounts: asked?.map(() => account) ?? null,
    unitsConsumed: 150,
    returnData: null,
    innerInstructions: null,
  }
  return withContext(ledger, commitment, value)
}

function status(ledger: StubLedger, signature: string) {
  const found = ledger.find(signature)
  if (!found) return null
  const confirmationStatus = ledger.commitmentOf(found.slot)
  return {
    slot: found.slot,
    confirmations: confirmationStatus === 'finalized' ? null : 1,
    err: null,
    status: { Ok: null },
    confirmationStatus,
  }
}

function landed(ledger: StubLedger, { first, commitment }: Asked) {
  const found = ledger.find(String(first))
  if (!found || found.slot > ledger.slot(commitment)) return null
  const meta = { err: null, fee: 5000, innerInstructions: [], loadedAddresses: { writable: [], readonly: [] }, logMessages: [] }
  return { slot: found.slot, blockTime: null, version: 'legacy', transaction: [base64.encode(found.bytes), 'base64'], meta }
}

function entries(ledger: StubLedger, { first, config, commitment }: Asked) {
  const all = ledger.listFor(String(first), commitment)
  const before = all.findIndex(({ signature }) => signature === config['before'])
  const until = all.findIndex(({ signature }) => signature === config['until'])
  const limit = typeof config['limit'] === 'number' ? config['limit'] : MAX_ENTRIES
  const page = all.slice(before + 1, until < 0 ? undefined : until).slice(0, limit)
  return page.map(({ signature, slot }) => ({ signature, slot, err: null, memo: null, blockTime: null, confirmationStatus: commitment }))
}

function withContext(ledger: StubLedger, commitment: Commitment, value: unknown) {
  return { context: { slot: ledger.slot(commitment), apiVersion: '3.0.0' }, value }
}

function commitmentIn({ commitment }: Config): Commitment {
  return commitment === 'processed' || commitment === 'confirmed' ? commitment : 'finalized'
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

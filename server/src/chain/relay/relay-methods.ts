import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import Type, { type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

import { isTransaction } from '../transactions/signed-transaction.ts'

/** Most test SOL that one request may ask for: 5 SOL. */
const MAX_AIRDROP_LAMPORTS = 5_000_000_000
/** Most bytes of an account's data that are handed on. */
const MAX_ACCOUNT_BYTES = 1024
const MAX_STATUSES = 256

export interface RelayMethod {
  params: Validator
  /** What the schema can't say of the parameters. */
  accepts?(params: readonly unknown[]): boolean
  /** Bounds what the endpoint may answer. */
  bound?(params: readonly unknown[]): unknown[]
  /** How long one answer may serve all pages. */
  keepMillis?: number
  /**
   * Nobody can pay without these answers, so these questions go like the server's own. Only where the answer is kept: however many ask,
   * each of them reaches the chain once in `keepMillis`.
   */
  needed?: readonly (readonly unknown[])[]
  /** Only where the chain is a test chain of our own. */
  demoOnly?: true
  /** Never sent twice. */
  once?: true
}

const SECOND = 1000
const MINUTE = 60 * SECOND

const base58 = '^[1-9A-HJ-NP-Za-km-z]+$'
const address = Type.String({ minLength: 32, maxLength: 44, pattern: base58 })
const signature = Type.String({ minLength: 64, maxLength: 88, pattern: base58 })
const blockhash = address
const base64 = Type.String({ minLength: 1, maxLength: MAX_TRANSACTION_BASE64, pattern: '^[A-Za-z0-9+/]+={0,2}$' })
const whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const commitment = Type.Enum(['processed', 'confirmed', 'finalized'])
const flag = Type.Boolean()

const read = { commitment, minContextSlot: whole }
const dataSlice = Type.Object(
  { offset: whole, length: Type.Integer({ minimum: 0, maximum: MAX_ACCOUNT_BYTES }) },
  { additionalProperties: false },
)

const methods: Record<string, RelayMethod> = {
  getBalance: { params: params([address], read), keepMillis: 2 * SECOND },
  getLatestBlockhash: { params: params([], read), keepMillis: SECOND, needed: [[], [{ commitment: 'confirmed' }]] },
  getSignatureStatuses: {
    params: params([Type.Array(signature, { maxItems: MAX_STATUSES })], { searchTransactionHistory: flag }),
  },
  sendTransaction: {
    params: params(
      [base64],
      { encoding: Type.Literal('base64') },
      { skipPreflight: flag, preflightCommitment: commitment, maxRetries: whole, minContextSlot: whole },
    ),
    accepts: firstIsTransaction,
  },
  getMinimumBalanceForRentExemption: { params: params([whole], { commitment }), keepMillis: MINUTE },
  getGenesisHash: { params: params([]), keepMillis: SECOND },
  getSlot: { params: params([], read), keepMillis: SECOND },
  getBlockHeight: { params: params([], read), keepMillis: SECOND },
  isBlockhashValid: { params: params([blockhash], read) },
  getFeeForMessage: { params: params([base64], read) },
  simulateTransaction: {
    params: params(
      [base64],
      { encoding: Type.Literal('base64') },
      { ...read, sigVerify: flag, replaceRecentBlockhash: flag, innerInstructions: flag },
    ),
    accepts: firstIsTransaction,
  },
  getAccountInfo: {
    params: params([address], { ...read, encoding: Type.Literal('base64'), dataSlice }),
    bound: withDataSlice,
  },
  getTransaction: {
    params: params([signature], {
      commitment,
      encoding: Type.Enum(['json', 'jsonParsed', 'base58', 'base64']),
      maxSupportedTransactionVersion: Type.Integer({ minimum: 0, maximum: 1 }),
    }),
  },
  getHealth: { params: params([]), keepMillis: SECOND },
  getVersion: { params: params([]), keepMillis: MINUTE },
  requestAirdrop: {
    params: params([address, Type.Integer({ minimum: 1, maximum: MAX_AIRDROP_LAMPORTS })], { commitment }),
    demoOnly: true,
    once: true,
  },
}

/** Every chain call that a page may make through us, by its name. */
export const relayMethods: ReadonlyMap<string, RelayMethod> = new Map(Object.entries(methods))

/** The positional parameters, then a settings object: left out or with any of `optional`, and always with `required` where that is given. */
function params(positional: TSchema[], settings?: Record<string, TSchema>, optional?: Record<string, TSchema>): Validator {
  const bare = Type.Tuple(positional)
  if (!settings) return Compile(bare)
  if (optional)
    return Compile(Type.Tuple([...positional, Type.Object({ ...settings, ...optionals(optional) }, { additionalProperties: false })]))
  return Compile(Type.Union([bare, Type.Tuple([...positional, Type.Object(optionals(settings), { additionalProperties: false })])]))
}

function optionals(settings: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, Type.Optional(schema)]))
}

function firstIsTransaction([first]: readonly unknown[]): boolean {
  return typeof first === 'string' && isTransaction(first)
}

function withDataSlice([account, settings]: readonly unknown[]): unknown[] {
  const chosen = typeof settings === 'object' ? settings : {}
  return [account, { encoding: 'base64', dataSlice: { offset: 0, length: MAX_ACCOUNT_BYTES }, ...chosen }]
}

import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import Type, { type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

import { isTransaction } from '../transactions/signed-transaction.ts'

/** Most test SOL in one request: 5 SOL. */
const MAX_AIRDROP_LAMPORTS = 5_000_000_000
/** Most bytes of an account's data in one reply. */
const MAX_ACCOUNT_BYTES = 1024
const MAX_STATUSES = 256

export interface RelayMethod {
  params: Validator
  /** Checks what the schema cannot express. */
  accepts?(params: readonly unknown[]): boolean
  /** Returns parameters that bound the size of the reply. */
  bound?(params: readonly unknown[]): unknown[]
  /** How long one answer serves all browsers; not cached by default. */
  cacheMillis?: number
  /**
   * Parameters of requests that every payment needs: these have the priority of the server's own. Only for cached methods, so that the
   * chain is asked once per `cacheMillis`, however many browsers ask.
   */
  urgentParams?: readonly (readonly unknown[])[]
  /** Only offered on a local test chain. */
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
const integer = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const commitment = Type.Enum(['processed', 'confirmed', 'finalized'])
const flag = Type.Boolean()

const readOptions = { commitment, minContextSlot: integer }
const dataSlice = Type.Object(
  { offset: integer, length: Type.Integer({ minimum: 0, maximum: MAX_ACCOUNT_BYTES }) },
  { additionalProperties: false },
)

const methods: Record<string, RelayMethod> = {
  getBalance: { params: params([address], { optional: readOptions }), cacheMillis: 2 * SECOND },
  getLatestBlockhash: {
    params: params([], { optional: readOptions }),
    cacheMillis: SECOND,
    urgentParams: [[], [{ commitment: 'confirmed' }]],
  },
  getSignatureStatuses: {
    params: params([Type.Array(signature, { maxItems: MAX_STATUSES })], { optional: { searchTransactionHistory: flag } }),
  },
  sendTransaction: {
    params: params([base64], {
      required: { encoding: Type.Literal('base64') },
      optional: { skipPreflight: flag, preflightCommitment: commitment, maxRetries: integer, minContextSlot: integer },
    }),
    accepts: firstIsTransaction,
  },
  getMinimumBalanceForRentExemption: { params: params([integer], { optional: { commitment } }), cacheMillis: MINUTE },
  getGenesisHash: { params: params([]), cacheMillis: SECOND },
  getSlot: { params: params([], { optional: readOptions }), cacheMillis: SECOND },
  getBlockHeight: { params: params([], { optional: readOptions }), cacheMillis: SECOND },
  isBlockhashValid: { params: params([blockhash], { optional: readOptions }) },
  getFeeForMessage: { params: params([base64], { optional: readOptions }) },
  simulateTransaction: {
    params: params([base64], {
      required: { encoding: Type.Literal('base64') },
      optional: { ...readOptions, sigVerify: flag, replaceRecentBlockhash: flag, innerInstructions: flag },
    }),
    accepts: firstIsTransaction,
  },
  getAccountInfo: {
    params: params([address], { optional: { ...readOptions, encoding: Type.Literal('base64'), dataSlice } }),
    bound: withDataSlice,
  },
  getTransaction: {
    params: params([signature], {
      optional: {
        commitment,
        encoding: Type.Enum(['json', 'jsonParsed', 'base58', 'base64']),
        maxSupportedTransactionVersion: Type.Integer({ minimum: 0, maximum: 1 }),
      },
    }),
  },
  getHealth: { params: params([]), cacheMillis: SECOND },
  getVersion: { params: params([]), cacheMillis: MINUTE },
  requestAirdrop: {
    params: params([address, Type.Integer({ minimum: 1, maximum: MAX_AIRDROP_LAMPORTS })], { optional: { commitment } }),
    demoOnly: true,
    once: true,
  },
}

/** The JSON-RPC methods that the web app may call through the relay, by name. */
export const relayMethods: ReadonlyMap<string, RelayMethod> = new Map(Object.entries(methods))

interface ConfigSchema {
  required?: Record<string, TSchema>
  optional: Record<string, TSchema>
}

/** The positional parameters, then a config object if the method has one; it is optional if nothing in it is required. */
function params(positional: TSchema[], config?: ConfigSchema): Validator {
  const bare = Type.Tuple(positional)
  if (!config) return Compile(bare)
  const { required, optional } = config
  const fields = Object.entries(optional).map(([name, schema]) => [name, Type.Optional(schema)])
  const withConfig = Type.Tuple([
    ...positional,
    Type.Object({ ...required, ...Object.fromEntries(fields) }, { additionalProperties: false }),
  ])
  return Compile(required ? withConfig : Type.Union([bare, withConfig]))
}

function firstIsTransaction([first]: readonly unknown[]): boolean {
  return typeof first === 'string' && isTransaction(first)
}

function withDataSlice([account, config]: readonly unknown[]): unknown[] {
  const chosen = typeof config === 'object' ? config : {}
  return [account, { encoding: 'base64', dataSlice: { offset: 0, length: MAX_ACCOUNT_BYTES }, ...chosen }]
}

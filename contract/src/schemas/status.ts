import Type from 'typebox'

import { errors, type ErrorCode } from '../errors.ts'
import { type CallSchema } from './call.ts'
import { Address, Nullable } from './fields.ts'
import { AnnouncedPause } from './restrictions.ts'

const upOrDown = Type.Enum(['ok', 'down'], { title: 'Health', description: 'Whether a part can be used right now' })

export const HealthReportSchema = Type.Object(
  {
    status: upOrDown,
    database: upOrDown,
    chain: upOrDown,
    age: Type.Object(
      {
        events: Type.Number({ description: 'Since the events were last read' }),
        reconciliation: Type.Number({ description: 'Since it was last read which purchases are due' }),
      },
      { title: 'Age', description: 'Seconds since each last succeeded, normally below 2; since the server started if it has not yet' },
    ),
    migrating: Type.Boolean({
      description: 'Whether the database is being upgraded, by this server or another; calls are refused meanwhile',
    }),
    migration: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'Its file' }),
          number: Type.Integer({ description: 'Its place among those that this server found missing, from 1' }),
          of: Type.Integer({ description: 'How many it found missing' }),
          seconds: Type.Integer({ description: 'How long it has been going on' }),
        },
        { title: 'Migration', description: 'While the database is being upgraded, the part that is being done' },
      ),
    ),
    version: Type.String({ description: 'The version of this server' }),
  },
  { title: 'HealthReport' },
)

const LiveSchema = Type.Object({ status: Type.Literal('ok') }, { title: 'Live' })

/** Why a server must not get calls. */
export const unreadyReasons = ['database', 'migrating', 'outdated', 'draining'] as const

const ReadinessSchema = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether calls may be sent here' }),
    reason: Nullable(
      Type.Enum([...unreadyReasons], {
        title: 'UnreadyReason',
        description:
          'database: it cannot be used. migrating: it is being upgraded. outdated: a newer server has upgraded it. draining: this server ' +
          'is about to stop.',
      }),
    ),
  },
  { title: 'Readiness' },
)

export const PublicConfigSchema = Type.Object(
  {
    productName: Type.String({ description: 'The name of the market, as the sign-in message has it' }),
    network: Type.Enum(['localnet', 'devnet', 'testnet', 'mainnet'], {
      title: 'Network',
      description: 'The Solana network that players pay on',
    }),
    commitment: Type.Enum(['confirmed', 'finalized'], {
      title: 'Commitment',
      description: 'How settled a payment must be before the drinks move',
    }),
    demo: Type.Boolean({ description: 'Whether new players get drinks to try the market with' }),
    demoWallet: Type.Boolean({
      description: 'Whether the web app offers the Demo Wallet and test SOL, as it does with the built-in chain',
    }),
    holdSeconds: Type.Integer({ description: 'How long a buyer has to pay' }),
    fee: Type.Object(
      { basisPoints: Type.Integer({ description: 'In hundredths of a percent of what the sellers get, on top; 0 for none' }) },
      { title: 'FeeRate', description: 'What the studio takes of a sale' },
    ),
    coSigner: Nullable(
      Address('The key with which the market signs, beside the buyer, the payments that only it can send; null if it offers none'),
    ),
    formerCoSigners: Type.Array(Address('A key'), {
      description: 'The keys with which it has signed before, the latest first; while it offers none, the present one too',
    }),
    refundCoSigner: Nullable(Address('The same for refunds; null if it offers none')),
    walletSends: Type.Enum(['any', 'referenced', 'off'], {
      title: 'WalletSends',
      description:
        'Whether a buyer’s wallet may send its payment by itself. any: yes. referenced: a payment counts only with the reference of its ' +
        'purchase. off: only the market sends payments.',
    }),
    publicOrigin: Nullable(
      Type.String({ description: 'The https address at which phones reach the market; null if it has none that is public' }),
    ),
    pause: Nullable(AnnouncedPause),
    version: Type.String({ description: 'The version of this server' }),
  },
  { title: 'PublicConfig' },
)

export const ErrorCodeSchema = Type.Enum(Object.keys(errors) as ErrorCode[], {
  title: 'ErrorCode',
  description: 'What went wrong, for programs. New codes may be added; treat one that you do not know by the status of its reply.',
})

export const ErrorReply = Type.Object(
  {
    error: Type.String({ description: 'What went wrong, in a sentence to show to people' }),
    code: ErrorCodeSchema,
    listingId: Type.Optional(Type.String({ description: 'Of an order of several items: the listing that it is about' })),
    detail: Type.Optional(Type.String({ description: 'What there is to say about that listing' })),
  },
  { title: 'Error' },
)

export const statusCalls = {
  health: {
    summary: 'Check whether the server, its database and the chain are up',
    description:
      'Answers 503 if the database takes no writes. Without the chain the market can still be read, so `chain: "down"` alone is a 200.',
    response: { 200: HealthReportSchema, 503: HealthReportSchema },
    failures: [],
  },
  live: {
    summary: 'Check whether the server answers',
    description: 'Restart a server that does not.',
    response: { 200: LiveSchema },
    failures: [],
  },
  ready: {
    summary: 'Check whether calls may be sent to this server',
    description:
      'For load balancers: 503 while the server migrates the database, without a database that takes writes, and before it stops.',
    response: { 200: ReadinessSchema, 503: ReadinessSchema },
    failures: [],
  },
  config: {
    summary: 'Read the settings that a client needs: network, commitment, hold time, fee, version, and whether the market is paused',
    response: { 200: PublicConfigSchema },
    failures: [],
  },
} as const satisfies Record<string, CallSchema>

import Type from 'typebox'

import { errors, type ErrorCode } from '../errors.ts'
import { type CallSchema } from './call.ts'

const upOrDown = Type.Enum(['ok', 'down'], { title: 'Health', description: 'Whether a part can be used right now' })

export const HealthReportSchema = Type.Object(
  { status: upOrDown, database: upOrDown, chain: upOrDown, version: Type.String({ description: 'The version of this server' }) },
  { title: 'HealthReport' },
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
    version: Type.String({ description: 'The version of this server' }),
  },
  { title: 'PublicConfig' },
)

export const ErrorCodeSchema = Type.Enum(Object.keys(errors) as ErrorCode[], {
  title: 'ErrorCode',
  description: 'What went wrong, for programs. New codes may be added; treat one that you do not know by the status of its reply.',
})

export const ErrorReply = Type.Object(
  { error: Type.String({ description: 'What went wrong, in a sentence to show to people' }), code: ErrorCodeSchema },
  { title: 'Error' },
)

export const statusCalls = {
  health: {
    summary: 'Check whether the server, its database and the chain are up',
    description:
      'Answers 503 if the database cannot be used. Without the chain the market can still be read, so `chain: "down"` alone is a 200.',
    response: { 200: HealthReportSchema, 503: HealthReportSchema },
    failures: [],
  },
  config: {
    summary: 'Read the settings that a client needs: network, commitment, hold time, version',
    response: { 200: PublicConfigSchema },
    failures: [],
  },
} as const satisfies Record<string, CallSchema>

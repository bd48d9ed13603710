import Type from 'typebox'

import { MAX_REASON } from '../../limits.ts'
import { type CallSchema } from '../call.ts'
import { closed, Id, idParams, Nullable, RequiredText, Timestamp } from '../fields.ts'

const recoveryParts = ['waiting', 'listing', 'reading'] as const
/** clean: nothing is missing. cases: payments were found that the database had lost. unchecked: not everything could be checked. */
const recoveryOutcomes = ['clean', 'cases', 'unchecked'] as const

const Progress = Type.Object(
  {
    blockHeight: Nullable(Type.Integer({ description: 'Of the finalized chain, when it was last asked' })),
    expiryHeight: Nullable(Type.Integer({ description: 'Above this height nothing can land any more that was signed before' })),
    wallets: Type.Integer({ description: 'Wallets whose transactions are listed: all sellers, and those that received fees' }),
    walletsListed: Type.Integer(),
    transactions: Type.Integer({ description: 'Of these wallets since the backup, as far as they are listed' }),
    transactionsRead: Type.Integer(),
  },
  { title: 'RecoveryProgress' },
)

export const RecoverySchema = Type.Object(
  {
    id: Id('The recovery'),
    status: Type.Enum(['running', 'done'], { title: 'RecoveryStatus' }),
    part: Type.Enum([...recoveryParts], {
      title: 'RecoveryPart',
      description:
        '`waiting`: until nothing can land any more that was signed before. `listing`: the transactions of each wallet. `reading`: these transactions.',
    }),
    since: Timestamp('Up to then the database knows everything'),
    startedAt: Timestamp('When it was started'),
    finishedAt: Nullable(Timestamp('When it ended; null while it is running')),
    outcome: Nullable(
      Type.Enum([...recoveryOutcomes], {
        title: 'RecoveryOutcome',
        description:
          '`clean`: nothing is missing, and the market is open again. `cases`: it opened cases for payments that the database had lost; recover again. `unchecked`: it found none, but could not check everything.',
      }),
    ),
    marketPaused: Type.Boolean({ description: 'Whether the market still waits for a clean recovery' }),
    progress: Progress,
    payments: Type.Integer({ description: 'Transactions found that carry a reference of this market, known to the database or not' }),
    casesOpened: Type.Integer({ description: 'Cases opened, of the kind `lost`' }),
    refunds: Type.Array(Type.String(), { description: 'Refunds found that the database does not know: the first hundred' }),
    refundsCount: Type.Integer({ description: 'How many such refunds there are in all' }),
    unchecked: Type.Array(Type.String(), { description: 'What could not be checked, and why: the first hundred' }),
    uncheckedCount: Type.Integer({ description: 'How much could not be checked in all' }),
    limits: Type.Array(Type.String(), { description: 'What no recovery can find' }),
  },
  { title: 'Recovery' },
)

const recoveryReply = Type.Object({ recovery: RecoverySchema })

export const recoveryCalls = {
  startRecovery: {
    summary: 'Look on the chain for payments that a restored database has lost',
    description:
      'Pauses the market until a recovery is clean. Every payment that carries a reference of this market which the database does not know becomes a case of the kind `lost`, and the listings of its seller are frozen until that is closed. There is one recovery at a time: while one is running, it is returned. Servers that stop are no matter.',
    body: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object(
          {
            since: Type.Optional(
              RequiredText('a time like 2030-01-31T00:00:00Z', 40, {
                description:
                  'The time of the backup, if servers have worked on the restored database before the market was paused. Without it, purchases up to the pause are taken to be known',
              }),
            ),
          },
          { ...closed, title: 'RecoveryRequest' },
        ),
      ]),
    ),
    response: { 202: recoveryReply },
    failures: [],
  },
  readRecovery: {
    summary: 'Read the progress and the findings of a recovery',
    params: idParams('The recovery'),
    response: { 200: recoveryReply },
    failures: ['RECOVERY_NOT_FOUND'],
  },
  acceptRecovery: {
    summary: 'Open the market although a recovery has opened cases or could not check everything',
    description: 'Only the latest one, once it is done. Cases that are open stay so, and what they freeze.',
    params: idParams('The recovery'),
    body: Type.Object(
      { reason: RequiredText('why, for the log', MAX_REASON, { description: 'Why, for the log' }) },
      { ...closed, title: 'RecoveryAcceptance' },
    ),
    response: { 200: recoveryReply },
    failures: ['RECOVERY_NOT_FOUND', 'RECOVERY_NOT_ACCEPTABLE'],
  },
} as const satisfies Record<string, CallSchema>

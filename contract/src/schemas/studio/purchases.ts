import Type from 'typebox'

import { PurchaseSchema, PurchaseStatusSchema } from '../buying/purchase.ts'
import { type CallSchema, chainFailures } from '../call.ts'
import { CasesPage, caseStatuses } from '../cases.ts'
import { Address, closed, idParams, nextCursor, Nullable, pageOf, RequiredText, Timestamp, walletAddress } from '../fields.ts'
import { BalancesOf, BalancesSchema } from '../inventory.ts'
import { BlockSchema } from '../restrictions.ts'

/** sent: by the server. cancelled: by the buyer, or released by the studio. expired: the hold ended unpaid for another reason. */
export const timelineEvents = [
  'held',
  'submitted',
  'sent',
  'confirmed',
  'delivered',
  'finalized',
  'cancelled',
  'expired',
  'case.opened',
  'case.closed',
] as const

export const TimelineEntrySchema = Type.Object(
  {
    at: Timestamp('When it happened'),
    event: Type.Enum([...timelineEvents], {
      title: 'TimelineEvent',
      description:
        '`submitted`: the server has checked and recorded the payment. `sent`: by the server. `cancelled`: by the buyer, or released by the studio. `expired`: the hold ended unpaid for another reason.',
    }),
    detail: Type.String({ description: 'What happened, for people' }),
  },
  { title: 'TimelineEntry' },
)

export const StudioPurchaseSchema = Type.Object(
  {
    ...PurchaseSchema.properties,
    timeline: Type.Array(TimelineEntrySchema, { description: 'What happened, the oldest first' }),
    waitingFor: Nullable(Type.String({ description: 'What it waits for, in one sentence; null if for nothing' })),
  },
  { title: 'StudioPurchase', description: 'A purchase as those see it who answer questions about it' },
)

export const PlayerSchema = Type.Object(
  {
    walletAddress: Address('The player'),
    createdAt: Nullable(Type.String({ format: 'date-time', description: 'When the wallet first signed in; null if it never did' })),
    balances: BalancesSchema,
    listed: BalancesOf({
      title: 'ListedDrinks',
      description: 'How many of each drink are in its active listings, those included that buyers hold',
    }),
    openPurchases: Type.Integer({ description: 'How many purchases it holds and has not paid, as buyer' }),
    openCases: Type.Integer({ description: 'How many cases wait for someone, as buyer or seller' }),
    block: Nullable(BlockSchema),
  },
  { title: 'Player' },
)

const wallet = Type.Optional(walletAddress)

export const studioPurchaseCalls = {
  studioPlayer: {
    summary: 'Read what a player has and does',
    params: Type.Object({ walletAddress }),
    response: { 200: Type.Object({ player: PlayerSchema }) },
    failures: ['WALLET_ADDRESS_INVALID'],
  },
  studioPurchases: {
    summary: 'Find purchases, with what happened to them',
    description:
      'The newest first. `wallet` is buyer or seller; `listingId` also finds the parts that were split off. `signature` finds any transaction that ever touched a purchase: a payment, a failed or double one, a refund. Of those with `status=held`, `waitsForStudio` marks the ones that only the studio can end.',
    querystring: Type.Object(
      {
        wallet,
        signature: Type.Optional(
          RequiredText('an ed25519 signature in base58', 88, { description: 'Only what this transaction touched: 64 bytes in base58' }),
        ),
        listingId: Type.Optional(RequiredText('an identifier', 64, { description: 'Only purchases of this listing' })),
        status: Type.Optional(PurchaseStatusSchema),
        ...pageOf,
      },
      closed,
    ),
    response: {
      200: Type.Object({ purchases: Type.Array(StudioPurchaseSchema), nextCursor }, { title: 'StudioPurchasesPage' }),
    },
    failures: ['CURSOR_INVALID', 'WALLET_ADDRESS_INVALID', ...chainFailures],
  },
  studioPurchase: {
    summary: 'Read one purchase, with what happened to it',
    params: idParams('The purchase'),
    response: { 200: Type.Object({ purchase: StudioPurchaseSchema }) },
    failures: ['PURCHASE_NOT_FOUND'],
  },
  studioCases: {
    summary: 'List all cases',
    description: 'Those that wait for someone come first. `wallet` is buyer or seller.',
    querystring: Type.Object(
      {
        wallet,
        status: Type.Optional(
          Type.Enum([...caseStatuses, 'all'], { title: 'CaseStatusFilter', description: 'Only these; `open` by default' }),
        ),
        ...pageOf,
      },
      closed,
    ),
    response: { 200: CasesPage },
    failures: ['CURSOR_INVALID', 'WALLET_ADDRESS_INVALID'],
  },
} as const satisfies Record<string, CallSchema>

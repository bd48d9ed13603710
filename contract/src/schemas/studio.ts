import Type from 'typebox'

import { MAX_IDEMPOTENCY_KEY } from '../limits.ts'
import { PurchaseSchema, PurchasesPage, PurchaseStatusSchema } from './buying/purchase.ts'
import { type CallSchema, chainFailures } from './call.ts'
import { CaseSchema, CasesPage, caseStatuses } from './cases.ts'
import { amount, closed, idParams, pageOf, requiredToken, RequiredText, walletAddress } from './fields.ts'
import { auditCalls } from './audits.ts'
import { restrictionCalls } from './restrictions.ts'
import { StudioOrder } from './inventory.ts'

const StudioOrderBody = Type.Object(
  {
    walletAddress,
    tokenType: requiredToken,
    amount,
    idempotencyKey: RequiredText(`at most ${MAX_IDEMPOTENCY_KEY} characters, one for each order`, MAX_IDEMPOTENCY_KEY, {
      description: 'Your own name for this order. The same key never moves tokens twice: it returns the order posted first.',
    }),
  },
  { ...closed, title: 'StudioOrderRequest' },
)

const retry = 'Retry as often as you like: a repeated `idempotencyKey` returns the first result and moves nothing.'

export const studioCalls = {
  studioCredit: {
    summary: 'Credit tokens to a wallet',
    description: `${retry} The wallet must have a private key: addresses of programs’ accounts are refused.`,
    body: StudioOrderBody,
    response: { 200: Type.Object({ credit: StudioOrder }) },
    failures: [
      'WALLET_ADDRESS_INVALID',
      'WALLET_CANNOT_SIGN',
      'TOKEN_TYPE_UNKNOWN',
      'AMOUNT_INVALID',
      'IDEMPOTENCY_KEY_REUSED',
      'BALANCE_LIMIT',
    ],
  },
  studioDebit: {
    summary: 'Debit tokens from a wallet',
    description: retry,
    body: StudioOrderBody,
    response: { 200: Type.Object({ debit: StudioOrder }) },
    failures: ['WALLET_ADDRESS_INVALID', 'TOKEN_TYPE_UNKNOWN', 'AMOUNT_INVALID', 'IDEMPOTENCY_KEY_REUSED', 'INSUFFICIENT_TOKENS'],
  },
  studioCases: {
    summary: 'List all cases',
    description: 'Those that wait for someone come first.',
    querystring: Type.Object(
      {
        status: Type.Optional(
          Type.Enum([...caseStatuses, 'all'], { title: 'CaseStatusFilter', description: 'Only these; `open` by default' }),
        ),
        ...pageOf,
      },
      closed,
    ),
    response: { 200: CasesPage },
    failures: ['CURSOR_INVALID'],
  },
  closeCase: {
    summary: 'Close a case with a note for buyer and seller',
    body: Type.Object(
      {
        caseId: RequiredText('a case identifier', 64, { description: 'The case' }),
        note: RequiredText('what was done, for both sides to read', 1000, { description: 'What was done, for both sides to read' }),
      },
      { ...closed, title: 'CaseClosure' },
    ),
    response: { 200: Type.Object({ case: CaseSchema }) },
    failures: ['CASE_NOT_FOUND', 'CASE_NOT_OPEN'],
  },
  studioPurchases: {
    summary: 'List all purchases',
    description: 'The newest first. Of those with `status=held`, `waitsForStudio` marks the ones that only the studio can end.',
    querystring: Type.Object({ status: Type.Optional(PurchaseStatusSchema), ...pageOf }, closed),
    response: { 200: PurchasesPage },
    failures: ['CURSOR_INVALID'],
  },
  releasePurchase: {
    summary: 'Release a hold that nobody can prove to be unpaid, with a reason for buyer and seller',
    description:
      'Only once no payment can land any more and every chain endpoint has shown that it can never prove that none has landed; else `NOT_RELEASABLE`, with what speaks against it. A payment that turns up later is still delivered, or becomes a case.',
    params: idParams('The purchase'),
    body: Type.Object(
      { reason: RequiredText('why it is released, for both sides to read', 1000, { description: 'Why, for both sides to read' }) },
      { ...closed, title: 'Release' },
    ),
    response: { 200: Type.Object({ purchase: PurchaseSchema }) },
    failures: ['PURCHASE_NOT_FOUND', 'NOT_RELEASABLE', ...chainFailures],
  },
  ...auditCalls,
  ...restrictionCalls,
} as const satisfies Record<string, CallSchema>

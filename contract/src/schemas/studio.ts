import Type from 'typebox'

import { PurchaseSchema, PurchasesPage, PurchaseStatusSchema } from './buying/purchase.ts'
import { type CallSchema, chainFailures } from './call.ts'
import { CaseSchema, CasesPage, caseStatuses } from './cases.ts'
import { closed, idParams, pageOf, RequiredText } from './fields.ts'
import { auditCalls } from './audits.ts'
import { keyCalls } from './studio/keys.ts'
import { logCalls } from './studio/log.ts'
import { orderCalls } from './studio/orders.ts'

export const studioCalls = {
  ...orderCalls,
  ...keyCalls,
  ...logCalls,
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
} as const satisfies Record<string, CallSchema>
